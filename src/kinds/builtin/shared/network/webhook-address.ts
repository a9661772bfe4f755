/**
 * The rules for the address of a webhook: a URL, or a service of the cluster.
 *
 * @module
 */
import {
  dnsSubdomainErrors,
  FieldErrorList,
  invalid,
  parseGoUrl,
  required,
  type FieldError,
} from '../../../../foundation/index.js';

/** The address of a webhook. Exactly one of the two is set. */
export interface WebhookAddress {
  readonly url?: string | undefined;
  readonly service?: WebhookService | undefined;
}

/** A service that is a webhook. */
export interface WebhookService {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string | undefined;
  /** Default 443. */
  readonly port?: number | undefined;
}

/** Returns the errors of an address. */
export function webhookAddressErrors({ url, service }: WebhookAddress, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(path, 'exactly one of url or service is required')];
  if (url !== undefined) return urlErrors(url, `${path}.url`);
  return service === undefined ? [] : serviceErrors(service, `${path}.service`);
}

const URL_FORM = '; desired format: https://host[/path]';

function urlErrors(text: string, path: string): FieldError[] {
  const url = parseGoUrl(text);
  if (typeof url === 'string') return [required(path, `url must be a valid URL: ${url}${URL_FORM}`)];
  const errors = new FieldErrorList();
  if (url.scheme !== 'https')
    errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${URL_FORM}`));
  if (url.host === '') errors.push(invalid(path, url.host, `host must be provided${URL_FORM}`));
  if (url.user !== undefined)
    errors.push(invalid(path, url.user.join(':'), 'user information is not permitted in the URL'));
  if (url.fragment !== '') errors.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'));
  if ((url.query ?? '') !== '') errors.push(invalid(path, url.query, 'query parameters are not permitted in the URL'));
  return errors;
}

function serviceErrors({ name, namespace, path: target, port = 443 }: WebhookService, path: string): FieldError[] {
  // Kubernetes passes the name as the namespace and the namespace as the name.
  const errors = new FieldErrorList();
  if (namespace === '') errors.push(required(`${path}.name`, 'service name is required'));
  if (name === '') errors.push(required(`${path}.namespace`, 'service namespace is required'));
  if (port < 1 || port > 65_535)
    errors.push(invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  return [...errors, ...pathErrors(target ?? '', `${path}.path`)];
}

function pathErrors(target: string, path: string): FieldError[] {
  if (target === '' || target === '/') return [];
  if (target === '//') return [invalid(path, target, 'segment[0] may not be empty')];
  const errors = target.startsWith('/') ? [] : [invalid(path, target, "must start with a '/'")];
  for (const [index, segment] of target.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') errors.push(invalid(path, target, `segment[${index}] may not be empty`));
    else
      for (const problem of dnsSubdomainErrors(segment))
        errors.push(invalid(path, target, `segment[${index}]: ${problem}`));
  }
  return errors;
}
