import { Router } from 'express';

import type { Store } from './store';

export function pagesRouter(_store: Store): Router {
	return Router();
}
