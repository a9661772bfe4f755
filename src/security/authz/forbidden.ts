import { errors, goQuote, ownMember, type ApiError } from '../../foundation/index.js';
import type { Attributes } from './attributes.js';

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Returns the error for a refused request, in the words of Kubernetes. The reason of the decision is left out: it can
 * name roles, policies and services that the user must not learn about.
 */
export function forbiddenError(attributes: Attributes): ApiError {
  const message = sanitized(forbiddenMessage(attributes));
  if (attributes.resource === '') return errors.forbiddenPath(`forbidden: ${message}`);
  return errors.forbidden({ group: attributes.apiGroup, resource: attributes.resource }, attributes.name, message);
}

function forbiddenMessage({
  user,
  verb,
  isResource,
  path,
  resource,
  subresource,
  apiGroup,
  namespace,
}: Attributes): string {
  const who = `User ${goQuote(user.username)} cannot ${verb}`;
  if (!isResource) return `${who} path ${goQuote(path)}`;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${goQuote(what)} in API group ${goQuote(apiGroup)} ${where}`;
}

/** The text comes from the request, and some clients show it as HTML. */
function sanitized(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, (character) => ownMember(MARKUP, character) ?? character) : text;
}
