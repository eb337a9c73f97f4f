/** One response every 172.8 seconds, so that each day has 500. */
const INTERVAL_MS = 86_400_000 / 500;

const FIRST_AT = Date.UTC(2020, 0, 1);

/** When the response with this number was created. */
export function createdAt(number: number): string {
	return new Date(FIRST_AT + number * INTERVAL_MS).toISOString();
}

const eightDigits = (number: number) => String(number).padStart(8, '0');

/** Of the response with this number. */
export const idOf = (number: number) => `5e1f7a52-4c0d-4b6e-9d3a-0000${eightDigits(number)}`;

export const emailOf = (number: number) => `ana.turcanu.${eightDigits(number)}@example.com`;

/** A form with so many responses. */
export const formOf = (count: number) => `form-${count}`;

/** The form that new responses come in to while it is polled. */
export const polledFormOf = (count: number) => `polled-${count}`;

/** The form that submissions go to. */
export const INBOX = 'inbox';

export const KEPT_BY_LIMIT = 50;

const LAST_DAY = 500;

/** The day with the last 500 of so many responses begins. */
export const lastDayOf = (count: number) => createdAt(count - LAST_DAY);
