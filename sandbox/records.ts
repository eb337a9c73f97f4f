export type Answer = string | string[];

/** What GET /forms returns. Tests may add any other field: the store serves records as they stand. */
export interface SandboxForm {
	id: string;
	title: string;
	slug: string;
	status: string;
	created_at: string;
	updated_at?: string;
	[field: string]: unknown;
}

/** What GET /responses returns. */
export interface SandboxResponse {
	id: string;
	form_id: string;
	answers: Record<string, Answer>;
	created_at: string;
	pixel_fired?: boolean;
	[field: string]: unknown;
}

/** One question of a form's page. The API never shows these. */
export interface Question {
	key: string;
	label: string;
	kind: 'text' | 'email' | 'tel' | 'url' | 'date' | 'textarea' | 'select' | 'radio' | 'checkbox';
	options?: string[];
	required?: boolean;
	hint?: string;
}

/** `plain` and `extended` are the two published variants of the service. */
export type Variant = 'plain' | 'extended';
export type Plan = 'free' | 'pro' | 'enterprise';
