export function maskKey(text: string, apiKey: string, _isCut = false): string {
	return text.replaceAll(apiKey, '…');
}
