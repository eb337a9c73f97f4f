import { newId, randomNumbers } from './random';
import type { Answer, SandboxForm, SandboxResponse, Variant } from './records';
import { sampleForms, type SampleQuestion } from './sampleForms';

const end = Date.parse('2026-11-20T17:30:00Z');
const day = 86_400_000;
const formsMadeWithin = 200 * day;
const respondedWithin = 42 * day;

const people = `Zoë Köhler <zoe.koehler>, Łukasz Wójcik <lukasz.wojcik>, 山田 花子 <hanako.yamada>,
	José Ángel Núñez <jose.nunez>, Олена Коваль <olena.koval>, Seán Ó Briain <sean.obriain>,
	محمد الحداد <m.haddad>, Åsa Björklund <asa.bjorklund>, Nguyễn Thị Lan <lan.nguyen>,
	Thabo Mokoena <thabo.mokoena>, 李伟 <li.wei>, Çağla Şahin <cagla.sahin>,
	Grace O’Donnell <grace.odonnell>, Μαρία Παπαδοπούλου <maria.papadopoulou>,
	김민준 <minjun.kim>, Tomáš Dvořák <tomas.dvorak>, Leilani Kealoha <leilani.kealoha>,
	Ravi Iyer <ravi.iyer>, Bjarni Þórsson <bjarni.thorsson>, Sofía Quiroga <sofia.quiroga>`
	.split(/,\s+/)
	.map((person) => person.split(/[<>]/))
	.map(([name = '', mailbox = '']) => ({ name: name.trim(), mailbox }));

/** The same records on every call; the two variants differ in ids and optional fields only. */
export function sampleRecords(variant: Variant) {
	const idNumbers = randomNumbers(11);
	const random = randomNumbers(7);
	const pick = <T>(values: T[]) => values[Math.floor(random() * values.length)]!;
	const timeWithin = (duration: number) =>
		new Date(end - Math.ceil(random() * (duration / 1_000)) * 1_000).toISOString();

	const answerTo = ({ kind, options = [], examples }: SampleQuestion): Answer => {
		if (kind !== 'checkbox') return pick(examples);
		const chosen = options.filter(() => random() < 0.4);
		return chosen.length > 0 ? chosen : [pick(options)];
	};

	const forms: SandboxForm[] = [];
	const responses: SandboxResponse[] = [];
	for (const { title, slug, questions, responses: count } of sampleForms) {
		const created_at = new Date(end - formsMadeWithin + forms.length * 10 * day).toISOString();
		const id = newId(variant, idNumbers);
		const form: SandboxForm = { id, title, slug, status: 'published', created_at };
		if (variant === 'extended') form.updated_at = form.created_at;
		forms.push(form);

		for (let i = 0; i < count; i++) {
			const { name, mailbox } = people[i % people.length]!;
			// Who comes round again uses another address.
			const host = ['com', 'org', 'net'][Math.floor(i / people.length)];
			const known: Record<string, string> = {
				full_name: name,
				email: `${mailbox}@example.${host}`,
			};
			const answered = questions.filter(({ required }) => required || random() < 0.6);
			const response: SandboxResponse = {
				id: newId(variant, idNumbers),
				form_id: form.id,
				answers: Object.fromEntries(
					answered.map((question) => [question.key, known[question.key] ?? answerTo(question)]),
				),
				created_at: timeWithin(respondedWithin),
			};
			const pixelFired = random() < 0.7;
			if (variant === 'extended') response.pixel_fired = pixelFired;
			responses.push(response);
		}
	}
	responses.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
	return { forms, responses };
}
