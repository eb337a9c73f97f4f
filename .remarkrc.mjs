import remarkGfm from 'remark-gfm';
import remarkRetext from 'remark-retext';
import remarkValidateLinks from 'remark-validate-links';
import { english } from './tools/prose/rules.mjs';

export default {
	plugins: [remarkGfm, [remarkValidateLinks, { repository: false }], [remarkRetext, english]],
};
