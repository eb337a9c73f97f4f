import type { Rig } from './rig';
import * as works from './works';

export interface Scenario {
	name: string;
	work: works.Work;
	isSaved: boolean;
	/** The same work in a size at which both sides soon tell what they put out */
	smaller?: works.Work;
	/** The work itself was compared before. */
	isVariant?: boolean;
	isProfiled?: boolean;
	maxPairs?: number;
}

export const SUBMISSIONS = 1_000;
/** How long the service takes to store one */
export const SERVICE_MS = 20;
export const POLLED = 100_000;
export const NEW_ONES = 10;

/** What is measured in pairs, by the name under which the page shows it. */
export function scenarios(rig: Rig): Scenario[] {
	const isSaved = true;
	const isProfiled = true;
	const all = works.readsAll(rig, 100_000);
	const eachOf100 = works.readsForEach(rig, 100, 1_000);
	const submissions = works.submits(rig, SUBMISSIONS);
	const paced = works.submits(rig, SUBMISSIONS, { batchSize: 50, batchInterval: 1_000 });
	return [
		{ name: 'hundred', work: eachOf100, isSaved, isProfiled },
		{
			name: 'hundred, not saved',
			work: eachOf100,
			isSaved: false,
			isVariant: true,
			isProfiled,
			maxPairs: 3,
		},
		{ name: 'all', work: all, isSaved, isProfiled },
		{ name: 'all, not saved', work: all, isSaved: false, isVariant: true, isProfiled, maxPairs: 3 },
		{ name: 'first', work: works.readsFirst(rig, 100_000), isSaved, isProfiled },
		{
			name: 'last day',
			work: works.readsLastDay(rig, 100_000),
			smaller: works.readsLastDay(rig, 1_000),
			isSaved,
			isProfiled,
			// Filter takes a minute.
			maxPairs: 3,
		},
		{
			name: 'by answer',
			work: works.readsByAnswer(rig, 100_000),
			smaller: works.readsByAnswer(rig, 1_000),
			isSaved,
			isProfiled,
			maxPairs: 3,
		},
		{
			name: 'by ID',
			work: works.readsOne(rig, 100_000),
			smaller: works.readsOne(rig, 1_000),
			isSaved,
			isProfiled,
			maxPairs: 3,
		},
		{
			name: 'questions',
			work: works.readsQuestions(rig, 100_000),
			smaller: works.readsQuestions(rig, 1_000),
			isSaved,
			isProfiled,
		},
		{ name: 'submissions', work: submissions, isSaved, isProfiled },
		{ name: 'submissions, batched', work: paced, isSaved, isVariant: true, maxPairs: 2 },
	];
}
