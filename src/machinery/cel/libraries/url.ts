/**
 * URLs: `url(text)`, `isURL(text)`, and the parts of a URL.
 *
 * @module
 */
import {
  escapedPath,
  parseGoUrl,
  parseQuery,
  parseRequestUri,
  splitHost,
  type GoUrl,
} from '../../../foundation/index.js';
import { CHARACTERS_OF_UNIT, textCost, type Meter } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import { CelOpaque, fromJson, ValueMap, type CelValue } from '../evaluate/values.js';
import {
  declare,
  method,
  overload,
  type CelLibrary,
  type CelResult,
  type FunctionDeclaration,
} from '../types/declarations.js';
import { boolType, listType, mapType, opaqueType, stringType } from '../types/types.js';
import { textOfSameSize } from './estimates.js';

/** A URL. */
class UrlValue extends CelOpaque {
  readonly typeName = 'kubernetes.URL';
  readonly url: GoUrl;
  #escapedPath: string | undefined;
  #identity: string | undefined;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  /** Its path with escapes, which is made once: reading it costs little in Kubernetes, however long it is. */
  get escapedPath(): string {
    return (this.#escapedPath ??= escapedPath(this.url));
  }

  /** A text that is equal for URLs with the same normal form, made once. */
  get #normalForm(): string {
    return (this.#identity ??= JSON.stringify({ ...this.url, path: this.escapedPath }));
  }

  equals(other: CelOpaque): boolean {
    return other instanceof UrlValue && this.#normalForm === other.#normalForm;
  }
}

const urlType = opaqueType('kubernetes.URL', UrlValue);

/** Maximum number of characters of a URL: it is parsed in one piece. */
const MAX_LENGTH = 65_536;

/** Returns the URL of a text in the form of requests, or the error. */
export const strictUrl = (text: string): GoUrl | string =>
  text.length > MAX_LENGTH ? `the URL has more than ${MAX_LENGTH} characters` : parseRequestUri(text);

/** Kubernetes checks the strict form first. The lenient parser then separates the fragment. */
function parse(text: string): CelResult {
  const strict = strictUrl(text);
  const url = typeof strict === 'string' ? strict : parseGoUrl(text);
  return typeof url === 'string' ? failure(`URL parse error during conversion from string: ${url}`) : new UrlValue(url);
}

/** Small values that a parameter of a query becomes: an entry, a name, a list and its item. */
const VALUES_OF_PARAMETER = 4;

function queryOf({ query = '' }: GoUrl, meter: Meter): CelValue {
  meter.makeText(query.length);
  meter.makeItems(VALUES_OF_PARAMETER * query.split('&').length);
  const map = new ValueMap();
  for (const [name, values] of parseQuery(query)) map.add(name, fromJson(values));
  return map;
}

const part = (name: string, id: string, read: (value: UrlValue) => string): FunctionDeclaration =>
  declare(
    name,
    method(id, [urlType], stringType, ([value]) => read(value)),
  );

/** The functions on URLs. */
export const urlLibrary: CelLibrary = {
  name: 'url',
  functions: [
    declare('url', {
      ...overload(
        'string_to_url',
        [stringType],
        urlType,
        ([text]) => parse(text),
        ([text]) => textCost(text),
      ),
      estimate: textOfSameSize,
    }),
    declare(
      'isURL',
      overload(
        'is_url_string',
        [stringType],
        boolType,
        ([text], { meter }) => (meter.work(text.length / CHARACTERS_OF_UNIT), typeof strictUrl(text) !== 'string'),
      ),
    ),
    part('getScheme', 'url_get_scheme', ({ url }) => url.scheme),
    part('getHost', 'url_get_host', ({ url }) => url.host),
    part('getHostname', 'url_get_hostname', ({ url }) => splitHost(url.host).hostname),
    part('getPort', 'url_get_port', ({ url }) => splitHost(url.host).port),
    part('getEscapedPath', 'url_get_escaped_path', (value) => value.escapedPath),
    declare(
      'getQuery',
      method('url_get_query', [urlType], mapType(stringType, listType(stringType)), ([{ url }], { meter }) =>
        queryOf(url, meter),
      ),
    ),
  ],
};
