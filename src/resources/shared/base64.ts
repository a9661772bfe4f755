const CHUNK = 0x8000;

/** Base64 (RFC 4648 section 4) of bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, because the arguments of a call are limited.
  for (let offset = 0; offset < bytes.length; offset += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(offset, offset + CHUNK));
  return btoa(binary);
}

/** Base64 of a text in UTF-8. */
export function encodeBase64Text(text: string): string {
  return NOT_ASCII.test(text) ? encodeBase64(new TextEncoder().encode(text)) : btoa(text);
}

const NOT_ASCII = /[^\x00-\x7f]/;

/** The text that base64 of UTF-8 stands for; bytes that are not UTF-8 become U+FFFD. */
export function decodeBase64Text(base64: string): string {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
