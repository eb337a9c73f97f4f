import express, { Router } from 'express';

import type { Fault } from './faults';
import type { Sandbox } from './sandbox';
import { queryParameter } from './log';

const allowed: Record<string, readonly string[]> = {
	variant: ['plain', 'extended'],
	plan: ['free', 'pro', 'enterprise'],
	retryAfter: ['seconds', 'date', 'none'],
	validator: ['none', 'etag', 'lastModified'],
};

/** Steers a sandbox that runs in another process. No part of the service, so no key, log or limit. */
export function controlRouter(sandbox: Sandbox): Router {
	const router = Router();
	router.use(express.json({ limit: '50mb' }));

	router.get('/faults', (_req, res) => void res.json(sandbox.faults.list()));
	router.post('/faults', (req, res) => {
		const faults = [req.body as Fault | Fault[]].flat();
		if (faults.some((fault) => typeof fault !== 'object' || fault === null)) {
			res.status(400).json({ message: 'Send a fault, or an array of faults, as JSON.' });
			return;
		}
		try {
			sandbox.faults.add(...faults);
		} catch (error) {
			res.status(400).json({ message: (error as Error).message });
			return;
		}
		res.status(201).json(sandbox.faults.list());
	});
	router.delete('/faults', (_req, res) => {
		sandbox.faults.clear();
		res.status(204).end();
	});

	router.get('/log', (_req, res) => void res.json(sandbox.log));
	router.delete('/log', (_req, res) => {
		sandbox.log.length = 0;
		res.status(204).end();
	});

	router.post('/reset', (_req, res) => {
		sandbox.reset();
		res.status(204).end();
	});

	router.get('/settings', (_req, res) => void res.json(sandbox.settings));
	router.put('/settings', (req, res) => {
		const wish = (req.body ?? {}) as Record<string, unknown>;
		const wrong = Object.keys(wish).find((name) => !isSetting(name, wish[name]));
		if (wrong !== undefined) {
			res.status(400).json({ message: `"${wrong}" is no setting or has no such value.` });
			return;
		}
		const { variant, ...others } = wish as Partial<Sandbox['settings']>;
		Object.assign(sandbox.settings, others);
		if (variant) sandbox.setVariant(variant);
		res.json(sandbox.settings);
	});

	router.get('/responses', (req, res) => {
		const formId = queryParameter(req, 'form_id');
		const { responses } = sandbox;
		res.json(formId === undefined ? responses : responses.filter((r) => r.form_id === formId));
	});
	return router;
}

function isSetting(name: string, value: unknown): boolean {
	if (name === 'createDelayMs') return typeof value === 'number' && value >= 0;
	return Object.hasOwn(allowed, name) && allowed[name]!.includes(value as string);
}
