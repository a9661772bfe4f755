/** Returns a text of a server without the characters that control a terminal. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?');
