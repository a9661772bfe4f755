import { ApiError } from '../../foundation/index.js';
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
} from '../../kinds/index.js';
import type { Catalogue, ResourceDefinition } from '../../registry/index.js';
import { parseRequestInfo, type ApiRequest, type ApiResponse } from '../../server/index.js';
import { KEY_FIELD } from './key-field.js';
import { SESSION_PATH, OIDC_PATH } from '../serving/page-path.js';
import { isForeign } from './origin.js';
import { refusal } from './session-answers.js';

/** Kinds whose creates are questions, which change nothing. */
const QUESTIONS: ReadonlySet<ResourceDefinition> = new Set<ResourceDefinition>([
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenReview,
]);

/** Endpoints of the page that take questions by POST, which change nothing. */
const ASKED: ReadonlySet<string> = new Set(['/ui/v1/explain', '/ui/v1/who-can', '/ui/v1/access-matrix']);

/** Signing in and out changes nothing in the server. */
const SESSION_PATHS: ReadonlySet<string> = new Set([SESSION_PATH, OIDC_PATH]);

const READING_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns whether a request comes from a page of the server's origin: with a session, or as a browser marks it, which
 * pages cannot change. Programs send neither.
 */
function isOfPage({ headers }: Pick<ApiRequest, 'headers'>): boolean {
  if (headers.get(KEY_FIELD) !== undefined) return true;
  const site = headers.get('sec-fetch-site');
  return site === undefined ? headers.get('origin') !== undefined && !isForeign({ headers }) : site === 'same-origin';
}

/**
 * Returns whether a request changes nothing, whatever is connected to the server: it reads objects or paths, or asks a
 * question. Connections to pods, nodes and services do not count as reads, nor does a dry run, which calls webhooks.
 */
function isRead({ method, path, query }: ApiRequest, catalogue: Catalogue | undefined): boolean {
  const info = parseRequestInfo(method, path, query);
  // The server refuses it.
  if (info instanceof ApiError) return true;
  if (!info.isResource) return READING_METHODS.has(method) || (method === 'POST' && ASKED.has(path));
  const { group, version, resource, subresource, verb } = info;
  const known = catalogue?.ofResource(group === '' ? version : `${group}/${version}`, resource)?.definition;
  if (verb === 'create') return subresource === '' && known !== undefined && QUESTIONS.has(known);
  if (!READING_VERBS.has(verb)) return false;
  if (subresource === '') return true;
  // The server of a kind that is not known here may open a connection for any of its subresources.
  if (known === undefined) return false;
  const definition = known.subresources?.[subresource];
  return definition === undefined || !('connect' in definition);
}

/**
 * Returns the refusal of a request from a page that can only read; undefined for a read, and for requests of programs.
 *
 * @param catalogue the kinds of the server; undefined where they are not known
 */
export function refusedWrite(request: ApiRequest, catalogue: Catalogue | undefined): ApiResponse | undefined {
  if (SESSION_PATHS.has(request.path) || !isOfPage(request) || isRead(request, catalogue)) return undefined;
  return refusal(403, 'Forbidden', 'the page is read-only: the server accepts only reads from it');
}
