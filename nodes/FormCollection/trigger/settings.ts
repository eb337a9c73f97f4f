import type { IPollFunctions } from 'n8n-workflow';
import { events } from './events';
import { readAnswerFilters, readShape, readTimeout, type Shape } from '../parameters/fields';
import { toFormId } from '../parameters/formLocator';
import { optionOf, toBoolean, toChoice, toObject } from '../parameters/values';
import { type AnswerFilter, matcherOf } from '../responses/answerFilters';
import { credentialIdOf } from '../transport/account';
import { isRecord, type ResponseRecord } from '../transport/records';

export interface Settings {
	formId: string;
	/** The workflow, the credential and the form */
	source: string;
	includeExisting: boolean;
	timeoutMs: number;
	/** As they are entered, expressions not evaluated; JSON */
	answerFilters: string;
	/** The answer filters with what their expressions give now */
	evaluatedFilters: AnswerFilter[];
	/** Whether the answer filters let it pass */
	matches: (response: ResponseRecord) => boolean;
	shape?: Shape;
}

/** Reads all parameters of the trigger. */
export function readSettings(context: IPollFunctions): Settings {
	toChoice('Event', context.getNodeParameter('event', 'newResponse'), events);
	const formId = toFormId(context.getNodeParameter('formId', ''));
	const options = toObject('Options', context.getNodeParameter('options', {}));
	const evaluatedFilters = readAnswerFilters(options);
	return {
		formId,
		source: sourceOf(context, formId),
		includeExisting: toBoolean(
			'Include Existing Responses',
			optionOf(options, 'includeExisting', false),
		),
		timeoutMs: readTimeout(options),
		answerFilters: JSON.stringify(enteredFilters(context)),
		evaluatedFilters,
		matches: matcherOf(evaluatedFilters),
		shape: readShape(context.getNodeParameter('flattenAnswers', false), options),
	};
}

/** With the workflow's ID, because a copy made with n8n's API or command line has the state of the original. */
function sourceOf(context: IPollFunctions, formId: string): string {
	return `${context.getWorkflow().id ?? ''} ${credentialIdOf(context.getNode())} ${formId}`;
}

function enteredFilters(context: IPollFunctions): unknown {
	const options: unknown = context.getNode().parameters.options;
	return isRecord(options) ? (options.answerFilters ?? {}) : options;
}
