import type { IPollFunctions } from 'n8n-workflow';
import { events } from './events';
import { readAnswerFilters, readShape, readTimeout, type Shape } from '../actions/fields';
import { toFormId } from '../actions/formLocator';
import { optionOf, toBoolean, toChoice, toObject } from '../actions/parameters';
import { matcherOf } from '../responses/answerFilters';
import { isRecord, type ResponseRecord } from '../transport/records';

export interface Settings {
	formId: string;
	/** The credential and the form: a saved state of others is of no use */
	source: string;
	includeExisting: boolean;
	timeoutMs?: number;
	/** As they are entered, expressions not evaluated; JSON */
	answerFilters: string;
	/** Whether the answer filters let it pass */
	matches: (response: ResponseRecord) => boolean;
	shape?: Shape;
}

/** Reads all parameters of the trigger. */
export function readSettings(context: IPollFunctions): Settings {
	toChoice('Event', context.getNodeParameter('event', 'newResponse'), events);
	const formId = toFormId(context.getNodeParameter('formId', ''));
	const options = toObject('Options', context.getNodeParameter('options', {}));
	return {
		formId,
		source: `${context.getNode().credentials?.formCollectionApi?.id ?? ''} ${formId}`,
		includeExisting: toBoolean(
			'Include Existing Responses',
			optionOf(options, 'includeExisting', false),
		),
		timeoutMs: readTimeout(options),
		answerFilters: JSON.stringify(enteredFilters(context)),
		matches: matcherOf(readAnswerFilters(options)),
		shape: readShape(context.getNodeParameter('flattenAnswers', false), options),
	};
}

function enteredFilters(context: IPollFunctions): unknown {
	const options: unknown = context.getNode().parameters.options;
	return isRecord(options) ? (options.answerFilters ?? {}) : options;
}

/**
 * Whether the answer filters of an earlier publishing let a response pass. What an expression in them
 * gave at the time is not known: filters with expressions let all pass.
 */
export function matcherOfEntered(answerFilters: string): Settings['matches'] {
	if (/"=/.test(answerFilters)) return () => true;
	return matcherOf(readAnswerFilters({ answerFilters: JSON.parse(answerFilters) as unknown }));
}
