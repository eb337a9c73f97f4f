import { newId, randomNumbers } from './random';
import type { Answer, SandboxForm, SandboxResponse, Variant } from './records';
import { sampleForms, type SampleForm, type SampleQuestion } from './sampleForms';
import { sampleCompanies, samplePeople } from './samplePeople';

const end = Date.parse('2026-11-20T17:30:00Z');
const day = 86_400_000;
const weeksOfResponses = 6;

interface Person {
	name: string;
	email: string;
}

/** The same records on every call; the two variants differ in ids and optional fields only. */
export function sampleRecords(variant: Variant) {
	const idNumbers = randomNumbers(11);
	const random = randomNumbers(7);
	const forms: SandboxForm[] = [];
	const responses: SandboxResponse[] = [];
	for (const sample of sampleForms) {
		const createdAt = end - sample.ageInDays * day - Math.floor(random() * day);
		const form: SandboxForm = {
			id: newId(variant, idNumbers),
			title: sample.title,
			slug: sample.slug,
			status: 'published',
			created_at: timestamp(createdAt),
		};
		const updatedAt = createdAt + random() * day;
		if (variant === 'extended') form.updated_at = timestamp(updatedAt);
		forms.push(form);

		const firstAt = Math.max(updatedAt, end - weeksOfResponses * 7 * day);
		const people = shuffled(samplePeople, random);
		for (let i = 0; i < sample.responses; i++) {
			// Who comes round a second time uses another address.
			const [name, mailbox] = people[i % people.length]!;
			const person = { name, email: `${mailbox}@example.${i < people.length ? 'com' : 'org'}` };
			const response: SandboxResponse = {
				id: newId(variant, idNumbers),
				form_id: form.id,
				answers: answersTo(sample, person, random),
				created_at: timestamp(firstAt + random() * (end - firstAt)),
			};
			const fired = random() < 0.7;
			if (variant === 'extended') response.pixel_fired = fired;
			responses.push(response);
		}
	}
	responses.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
	return { forms, responses };
}

function answersTo(form: SampleForm, person: Person, random: () => number) {
	const answers: Record<string, Answer> = {};
	for (const question of form.questions) {
		if (!question.required && random() < 0.4) continue;
		answers[question.key] = answerTo(question, person, random);
	}
	return answers;
}

function answerTo(
	{ key, kind, options, examples }: SampleQuestion,
	person: Person,
	random: () => number,
): Answer {
	if (key === 'full_name') return person.name;
	if (key === 'email') return person.email;
	if (key === 'company') return pick(sampleCompanies, random);
	if (kind === 'checkbox') {
		const chosen = options!.filter(() => random() < 0.4);
		return chosen.length > 0 ? chosen : [pick(options!, random)];
	}
	// Squared, so that the first options are the common ones, as in life.
	if (options) return options[Math.floor(random() ** 2 * options.length)]!;
	return pick(examples!, random);
}

function shuffled<T>(values: T[], random: () => number): T[] {
	return values
		.map((value) => ({ value, place: random() }))
		.sort((a, b) => a.place - b.place)
		.map(({ value }) => value);
}

function pick<T>(values: T[], random: () => number): T {
	return values[Math.floor(random() * values.length)]!;
}

function timestamp(time: number): string {
	return new Date(Math.floor(time / 1_000) * 1_000).toISOString();
}
