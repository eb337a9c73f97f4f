/*
 * The sandbox's embed script. Its configuration by elements and attributes is the service's; how it
 * draws the form (frame, dialog, bubble) is the sandbox's own choice: the real script's looks and
 * manners are the service's business.
 */
(() => {
	const { src } = document.currentScript;
	const firstTime = !window.formCollectionEmbed;
	// A page may load the script once for each form: what one run has drawn the next leaves alone.
	const drawn = (window.formCollectionEmbed ??= new WeakSet());

	const css = `
		.fc-frame { display: block; width: 100%; border: 0; border-radius: 12px; background: light-dark(#fff, #1c222b); }
		[data-xform] > .fc-frame { box-sizing: border-box; border: 1px solid light-dark(#d5dbe3, #3d4858); }
		.fc-button { padding: .7rem 1.4rem; font: 600 1rem/1.5 system-ui, sans-serif; color: #fff;
			background: #2f5bd0; border: 0; border-radius: 8px; cursor: pointer; }
		.fc-button:hover, .fc-bubble:hover { background: #2449ab; }
		.fc-button:focus-visible, .fc-bubble:focus-visible { outline: 3px solid #9db7f5; outline-offset: 2px; }
		.fc-dialog { box-sizing: border-box; padding: 0; border: 0; border-radius: 14px; overflow: hidden;
			background: light-dark(#fff, #1c222b); box-shadow: 0 2px 8px #0003, 0 16px 60px #0004; }
		.fc-dialog::backdrop { background: #12161c99; }
		.fc-dialog[popover]::backdrop { background: none; }
		.fc-dialog .fc-frame { height: 100%; border-radius: 0; }
		.fc-popup { width: min(42rem, 100vw - 2rem); height: min(38rem, 100vh - 2rem); }
		.fc-popover { inset: auto 1.5rem 6.5rem auto; width: min(25rem, 100vw - 3rem); height: min(38rem, 100vh - 8rem); }
		.fc-close { position: absolute; top: .9rem; right: 1.4rem; width: 2.25rem; height: 2.25rem; padding: 0;
			font: 1.4rem/1 system-ui, sans-serif; color: light-dark(#3d4858, #d5dbe3); background: light-dark(#eef1f5, #3d4858); border: 0; border-radius: 50%; cursor: pointer; }
		.fc-close:hover { background: light-dark(#d5dbe3, #5b6675); }
		.fc-close:focus-visible { outline: 3px solid light-dark(#2f5bd0, #8fb0ff); outline-offset: 2px; }
		.fc-corner { position: fixed; z-index: 9999; right: 1.5rem; bottom: 1.5rem; display: flex; gap: .75rem; }
		.fc-bubble { display: grid; place-items: center; width: 3.75rem; height: 3.75rem; padding: 0; color: #fff;
			background: #2f5bd0; border: 0; border-radius: 50%; box-shadow: 0 4px 16px #0004; cursor: pointer; }
		.fc-bubble svg { width: 1.75rem; height: 1.75rem; }`;

	const bubbleIcon = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2"
		stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M5 4h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7l-5 4v-4H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM8 9h8M8 12.5h5"/></svg>`;

	function make(tag, properties) {
		return Object.assign(document.createElement(tag), properties);
	}

	function makeButton(className, properties) {
		return make('button', { type: 'button', className, ...properties });
	}

	/** Light text means a dark page, whoever chose it: the page, or the visitor's system. */
	function schemeAt(element) {
		const context = make('canvas', { width: 1, height: 1 }).getContext('2d');
		context.fillStyle = getComputedStyle(element).color;
		context.fillRect(0, 0, 1, 1);
		const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
		return 0.3 * red + 0.59 * green + 0.11 * blue > 127 ? 'dark' : 'light';
	}

	function frameOf(slug, scheme) {
		const address = new URL(`forms/${encodeURIComponent(slug)}?embedded=${scheme}`, src);
		const frame = make('iframe', {
			className: 'fc-frame',
			title: `Form ${slug}`,
			src: address.href,
		});
		frame.style.colorScheme = scheme;
		// A long form is sent at its end, and what comes next begins at the top.
		let isLoaded = false;
		frame.addEventListener('load', () => {
			if (isLoaded && frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
			isLoaded = true;
		});
		return frame;
	}

	const modes = {
		inline(element) {
			const { xform, height } = element.dataset;
			const frame = frameOf(xform, schemeAt(element));
			frame.style.height = height;
			element.append(frame);
		},
		popup(element) {
			const { xform, buttonText } = element.dataset;
			const button = makeButton('fc-button', { textContent: buttonText, ariaHasPopup: 'dialog' });
			const dialog = dialogOf(xform, 'fc-popup', element);
			button.addEventListener('click', () => {
				dialog.open();
				dialog.element.showModal();
			});
			dialog.onClose(() => dialog.element.close());
			element.append(button, dialog.element);
		},
		popover(element) {
			const { xform } = element.dataset;
			const bubble = makeButton('fc-bubble', {
				innerHTML: bubbleIcon,
				ariaLabel: `Open form ${xform}`,
				ariaHasPopup: 'dialog',
			});
			const dialog = dialogOf(xform, 'fc-popover', element);
			// The browser's own popover: Escape and a click beside it close it, focus goes back.
			dialog.element.popover = 'auto';
			bubble.popoverTargetElement = dialog.element;
			dialog.element.addEventListener('beforetoggle', ({ newState }) => {
				if (newState === 'open') dialog.open();
			});
			dialog.onClose(() => dialog.element.hidePopover());
			corner().append(bubble, dialog.element);
		},
	};

	function dialogOf(slug, className, place) {
		const element = make('dialog', {
			className: `fc-dialog ${className}`,
			ariaLabel: `Form ${slug}`,
		});
		const close = makeButton('fc-close', { textContent: '×', autofocus: true, ariaLabel: 'Close' });
		element.append(close);
		let frame;
		return {
			element,
			/** Loads the form when it is first wanted. */
			open() {
				if (frame) return;
				const scheme = schemeAt(place);
				element.style.colorScheme = scheme;
				frame = frameOf(slug, scheme);
				element.append(frame);
			},
			onClose(callback) {
				close.addEventListener('click', callback);
				// Keys pressed inside the frame stay there: its page passes Escape on.
				addEventListener('message', ({ source, data }) => {
					if (frame && source === frame.contentWindow && data === 'form-collection-close')
						callback();
				});
			},
		};
	}

	function corner() {
		const present = document.querySelector('.fc-corner');
		if (present) return present;
		const made = make('div', { className: 'fc-corner' });
		document.body.append(made);
		return made;
	}

	function draw() {
		for (const element of document.querySelectorAll('[data-xform]')) {
			if (drawn.has(element) || !Object.hasOwn(modes, element.dataset.mode)) continue;
			drawn.add(element);
			modes[element.dataset.mode](element);
		}
	}

	if (firstTime) document.head.append(make('style', { textContent: css }));
	if (document.body) draw();
	// A script in the head, or one that is loaded before the rest of the page has come.
	if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', draw);
})();
