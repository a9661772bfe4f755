/**
 * The tag of an image reference: what follows the last colon of its last path element. `latest` when the reference names
 * neither a tag nor a digest; empty when it names a digest only.
 */
export function imageTag(image: string): string {
  const at = image.indexOf('@');
  const name = at === -1 ? image : image.slice(0, at);
  // A colon before the last slash is that of a port.
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  if (colon !== -1) return name.slice(colon + 1);
  return at === -1 ? 'latest' : '';
}

/** When an image is pulled, where the pod does not say. */
export function defaultPullPolicy(image: string): string {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}
