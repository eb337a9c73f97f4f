import type { Plan } from './records';

/**
 * The service's reference names no status codes, error bodies, ordering or behaviour at the limit.
 * What stands here is the sandbox's own choice; no client may rely on it. Further choices: responses
 * are listed in order of creation, refused requests (401, 429) do not count towards the limit, and the
 * hour starts with the first request counted.
 */
export const createdStatus = 201;

export const maximumBody = '50mb';

export const refusals = {
	unauthorized: { status: 401, message: 'The API key is missing or not valid.' },
	rate_limited: { status: 429, message: 'The hourly limit of your plan is used up.' },
	invalid_json: { status: 400, message: 'The request body is not valid JSON.' },
	missing_form_id: { status: 400, message: 'The query parameter form_id is missing.' },
	invalid_response: { status: 422, message: 'The response is not valid.' },
	form_not_found: { status: 404, message: 'There is no form with this id.' },
	not_found: { status: 404, message: 'There is no such endpoint.' },
	method_not_allowed: { status: 405, message: 'This endpoint does not support the method.' },
	body_too_large: { status: 413, message: 'The request body is larger than 50 MB.' },
	unsupported_media_type: { status: 415, message: 'The request body must be application/json.' },
} as const;

export type Refusal = keyof typeof refusals;

export function errorBody(code: Refusal, message: string = refusals[code].message): string {
	return JSON.stringify({ error: { code, message } });
}

/** How a 429 says when to come back. */
export type RetryAfter = 'seconds' | 'date' | 'none';

/** By what a list of responses tells that it has not changed. */
export type Validator = 'none' | 'etag' | 'lastModified';

/** Documented: requests per hour of each plan. */
export const requestsPerHour: Record<Plan, number> = {
	free: 100,
	pro: 1_000,
	enterprise: Infinity,
};
