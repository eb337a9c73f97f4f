import type { RequestContext } from './account';
import { attempt, type Reader, type RequestResult, type ServiceRequest } from './attempt';
import { pause } from './pause';
import { retryDelayMs, retryPolicy } from './retry';

/**
 * Sends a request, again where the retry policy allows it, and gives the last result.
 *
 * @param read of the body of a success; called anew for each try
 * @throws what `read` throws
 */
export async function send<Content>(
	context: RequestContext,
	request: ServiceRequest,
	read: Reader<Content>,
	maxTries: number = retryPolicy.maxTries,
): Promise<RequestResult<Content>> {
	for (let tries = 1; ; tries++) {
		const result = await attempt(context, request, read);
		const delayMs = retryDelayMs(request.method, result, tries, Math.random());
		if (delayMs === undefined || tries >= maxTries) return result;
		await pause(delayMs, cancelSignalOf(context));
	}
}

export function cancelSignalOf(context: RequestContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}
