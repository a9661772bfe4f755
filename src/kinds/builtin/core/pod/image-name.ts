/**
 * Returns the tag of an image reference: the text after the last colon of its last path element. Returns `latest` when
 * the reference has neither tag nor digest, and an empty text when it has only a digest.
 */
export function imageTag(image: string): string {
  const at = image.indexOf('@');
  const name = at === -1 ? image : image.slice(0, at);
  // A colon before the last slash separates a port.
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  if (colon !== -1) return name.slice(colon + 1);
  return at === -1 ? 'latest' : '';
}

/** Returns the default pull policy of an image. */
export function defaultPullPolicy(image: string): string {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}
