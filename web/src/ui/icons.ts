/** Draw the page's own signs as paths on a 24 by 24 field. */

const CIRCLE = 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z'

export const ICONS = {
  checked: [CIRCLE, 'm8 12.2 2.8 2.8L16 9.5'],
  half: [CIRCLE, 'M12 3v18', 'M15 8.5h3.5M15 12h5M15 15.5h3.5'],
  pause: [CIRCLE, 'M8 12h8'],
  fault: ['M12 4 2.8 20h18.4L12 4Z', 'M12 10v4.5', 'M12 17.3v.2'],
  stopped: [CIRCLE, 'M9 9h6v6H9Z'],
  gap: ['M4 5h16M4 19h16', 'M4 12h3M10.5 12h3M17 12h3'],
  person: ['M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z', 'M4.5 20.5c.8-4 3.8-6 7.5-6s6.7 2 7.5 6'],
  again: ['M19.5 12a7.5 7.5 0 1 1-2.4-5.5', 'M17.5 2.8v4.2h-4.2'],
  up: ['M12 19V5.5', 'm6 11.5 6-6 6 6'],
  open: ['M13.5 4H20v6.5', 'M20 4l-9 9', 'M17.5 14v5.5h-13v-13H10'],
  chevron: ['m9 6 6 6-6 6'],
  close: ['M6 6l12 12M18 6 6 18'],
  thumbUp: ['M7 11v9H4v-9h3Z', 'M7 11l4-7.5c1.6 0 2.5 1 2.5 2.5V9.5h4.7c1.3 0 2.2 1.1 1.9 2.4l-1.4 6.3c-.2 1-1 1.8-2.1 1.8H7'],
  thumbDown: ['M7 13V4H4v9h3Z', 'M7 13l4 7.5c1.6 0 2.5-1 2.5-2.5v-3.5h4.7c1.3 0 2.2-1.1 1.9-2.4l-1.4-6.3c-.2-1-1-1.8-2.1-1.8H7'],
} as const satisfies Record<string, readonly string[]>

export type IconName = keyof typeof ICONS
