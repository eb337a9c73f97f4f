import type { RequestHandler } from 'express';

// A web page can reach 127.0.0.1 under a name of its own; the Host header gives it away.
export const onlyLoopback: RequestHandler = (req, res, next) => {
	if (/^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(req.headers.host ?? '')) return next();
	res.status(403).json({ message: 'Only for callers on this computer.' });
};
