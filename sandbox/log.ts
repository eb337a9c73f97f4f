import type { Request, Response } from 'express';
import type { IncomingHttpHeaders } from 'node:http';

import type { Fault } from './faults';

export interface LoggedRequest {
	method: string;
	/** With the query. */
	path: string;
	/** Below /api and without the query, such as `GET /forms`. */
	route: string;
	formId?: string;
	headers: IncomingHttpHeaders;
	/** Parsed if it is JSON, else the text. */
	body: unknown;
	/** Missing as long as there is no complete answer: hanging, cut, or the caller left before. */
	status?: number;
	/** True if the caller closed the connection before the answer was complete. */
	callerLeft?: boolean;
	/** What struck it */
	fault?: Fault;
	/** Bytes of the answer that went out, head included; set when the exchange is over. */
	sentBytes?: number;
}

/** Starts the entry of a request when its head has arrived, so that the log is in order of arrival. */
export function logRequest(log: LoggedRequest[], req: Request, res: Response): LoggedRequest {
	const { searchParams } = new URL(req.originalUrl, 'http://sandbox');
	const entry: LoggedRequest = {
		method: req.method,
		path: req.originalUrl,
		route: `${req.method} ${req.path}`,
		formId: searchParams.get('form_id') ?? undefined,
		headers: req.headers,
		body: undefined,
	};
	log.push(entry);
	const { socket } = req;
	const sentBefore = socket.bytesWritten;
	res.once('close', () => {
		entry.sentBytes = socket.bytesWritten - sentBefore;
		if (!res.writableFinished && !res.locals.cut) entry.callerLeft = true;
	});
	return entry;
}
