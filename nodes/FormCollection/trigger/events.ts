import type { INodePropertyOptions } from 'n8n-workflow';

/** What the trigger can start a workflow for. */
export const events: INodePropertyOptions[] = [
	{
		name: 'New Response',
		value: 'newResponse',
		action: 'On new response',
		description: 'A form has received a new response',
	},
];
