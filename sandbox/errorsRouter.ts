import express, { Router } from 'express';

import { requestsPerHour } from './choices';
import { errorsPage } from './errorsPage';
import { errorsToTry } from './errorsToTry';
import type { Plan } from './records';
import type { Sandbox } from './sandbox';

const hour = 3_600_000;

/** The page on which a person turns errors on and off. */
export function errorsRouter(sandbox: Sandbox): Router {
	const router = Router();

	router.get('/', (_req, res) => {
		const { settings, window, faults, baseUrl, n8nUrl } = sandbox;
		const endsAt = window.startedAt + hour;
		const isOver = endsAt <= Date.now();
		res.send(
			errorsPage({
				plan: settings.plan,
				used: isOver ? 0 : window.used,
				nextHour: isOver ? undefined : new Date(endsAt),
				faults: faults.list(),
				baseUrl,
				n8nUrl,
			}),
		);
	});

	router.post('/', express.urlencoded({ extended: false }), (req, res) => {
		const { plan, used, error } = (req.body ?? {}) as Record<string, unknown>;
		if (isPlan(plan)) sandbox.setPlan(plan);
		if (used === 'all') {
			const limit = requestsPerHour[sandbox.settings.plan];
			Object.assign(sandbox.window, { used: limit, startedAt: Date.now() });
		}
		if (used === 'none') Object.assign(sandbox.window, { used: 0, startedAt: 0 });
		if (error !== undefined) {
			sandbox.faults.clear();
			const chosen = Object.values(errorsToTry)
				.flat()
				.find(({ name }) => name === error);
			sandbox.faults.add(...(chosen?.faults ?? []));
		}
		res.redirect(303, '/errors');
	});
	return router;
}

function isPlan(value: unknown): value is Plan {
	return typeof value === 'string' && Object.hasOwn(requestsPerHour, value);
}
