import type {
	Account as ServiceAccount,
	LoggedRequest,
	Sandbox,
	SandboxResponse,
} from '../../sandbox';
import { startSandbox } from '../../sandbox';
import { formRecord } from '../support/formCollection';
import type { Echo } from './faults';
import type { AccountSpec, History, RowSpec } from './history';

const FORMS = ['f0', 'f1'];
const HOUR_MS = 3_600_000;

export interface Account extends ServiceAccount {
	index: number;
	baseUrl: string;
}

export interface Request extends LoggedRequest {
	/** Undefined for a key or a server that is nobody's */
	account?: Account;
}

/** Two services with their accounts. What they log and store is the truth that all else is held against. */
export class World {
	accounts: Account[] = [];

	/** Of both services, in order of arrival */
	requests: Request[] = [];

	private nextId = 0;

	private history = 0;

	private constructor(private readonly servers: [Sandbox, Sandbox]) {
		for (const server of servers) this.watch(server);
	}

	static async start(): Promise<World> {
		const start = async () =>
			await startSandbox({ apiKey: 'nobody', forms: FORMS.map((id) => formRecord(id)) });
		return new World([await start(), await start()]);
	}

	async stop(): Promise<void> {
		await Promise.all(this.servers.map(async (server) => await server.stop()));
	}

	/** As it is at the beginning of a history. */
	begin({ accounts, existing }: History): void {
		for (const server of this.servers) server.reset();
		this.requests = [];
		this.history++;
		this.accounts = accounts.map(({ key, server }, index) => ({
			index,
			baseUrl: this.servers[server].baseUrl,
			...this.servers[server].addAccount(keyOf(key, 3 * this.history + index), {
				forms: FORMS.map((id) => formRecord(id, { title: `${id} of ${index}` })),
			}),
		}));
		this.nextId = 0;
		for (const row of existing) this.add(row, -HOUR_MS);
	}

	/** What somebody else submits. */
	add(spec: RowSpec, agoMs = 0): void {
		const account = this.accountOf(spec);
		account.responses.push({
			id: `r${this.nextId++}`,
			form_id: formOf(spec),
			answers: { row: this.textOf(spec) },
			created_at: new Date(Date.now() + agoMs).toISOString(),
		});
	}

	/** Time passes after these were created. */
	age(responses: SandboxResponse[]): void {
		for (const response of responses) {
			response.created_at = new Date(Date.parse(response.created_at) - HOUR_MS).toISOString();
		}
	}

	accountOf({ account }: { account: number }): Account {
		const { accounts } = this;
		return accounts[account % accounts.length] as Account;
	}

	/** What an item holds: all else is told from it. */
	textOf(spec: RowSpec): string {
		return `<${this.accountOf(spec).index}.${spec.form}.${spec.row}>`;
	}

	/** All responses of all accounts. */
	stored(): SandboxResponse[] {
		return this.accounts.flatMap(({ responses }) => responses);
	}

	responsesOf(account: Account, formId: string): SandboxResponse[] {
		return account.responses.filter(({ form_id }) => form_id === formId);
	}

	/** What the services may repeat, of the account of a request that fails. */
	echo(account: Account): Echo {
		return { key: account.apiKey, elsewhere: `${this.servers[0].url}/elsewhere` };
	}

	serverOf({ baseUrl }: Account): Sandbox {
		return this.servers.find((server) => server.baseUrl === baseUrl) as Sandbox;
	}

	clearFaults(): void {
		for (const { faults } of this.servers) faults.clear();
	}

	private watch({ log, baseUrl }: Sandbox): void {
		const { push } = Array.prototype;
		log.push = (...entries) => {
			for (const entry of entries) {
				const { authorization } = entry.headers;
				const account = this.accounts.find(
					(each) => each.baseUrl === baseUrl && authorization === `Bearer ${each.apiKey}`,
				);
				this.requests.push(Object.assign(entry, { account }));
			}
			return push.apply(log, entries);
		};
	}
}

export const formOf = ({ form }: { form: 0 | 1 }): string => FORMS[form] as string;

/** The text of a row tells its account and its form. */
export const accountIndexIn = (text: string): number => Number(text[1]);
export const formIn = (text: string): string => FORMS[Number(text[3])] as string;

/** A key with runs of letters that are found nowhere else, and that stay the same however they are escaped. */
function keyOf(kind: AccountSpec['key'], seed: number): string {
	let state = 7 + seed;
	const letters = () =>
		Array.from({ length: 16 }, () => {
			state = (state * 48_271) % 2_147_483_647;
			return (state % 36).toString(36);
		}).join('');
	return kind === 'plain'
		? `fc_${letters()}${letters()}`
		: `fc<${letters()}&"\\${letters()}'/+=%41>`;
}
