/**
 * Aggregated discovery (KEP-3352): all groups, versions and resources in one document, asked for with the parameters
 * `g`, `v` and `as` of the Accept header.
 *
 * @module
 */
import type { Dialect } from '../../names/dialect.js';

/** Versions in which aggregated discovery is spoken. */
export type AggregatedVersion = 'v2' | 'v2beta1';

const LIST_KIND = 'APIGroupDiscoveryList';

/** Group of the documents. */
export function aggregatedGroup(dialect: Dialect): string {
  return `apidiscovery.${dialect.groupSuffix}`;
}

/** Content-Type of the answer. */
export function aggregatedContentType(dialect: Dialect, version: AggregatedVersion): string {
  return `application/json;g=${aggregatedGroup(dialect)};v=${version};as=${LIST_KIND}`;
}

/** The document around the groups. */
export function aggregatedList(dialect: Dialect, version: AggregatedVersion, items: readonly object[]): object {
  return { kind: LIST_KIND, apiVersion: `${aggregatedGroup(dialect)}/${version}`, metadata: {}, items };
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Whether a client asks for aggregated discovery, and in which version: what the best clause of its Accept header says.
 * Among clauses of the same quality the first wins, so a client that names plain JSON first gets the plain form. A clause
 * for another kind, or a version that is not spoken, is passed over.
 */
export function wantsAggregated(accept: string, dialect: Dialect): AggregatedVersion | undefined {
  if (!accept.includes(LIST_KIND)) return undefined;
  const clauses = accept.split(',').map(parseClause);
  // Stable: equal ones stay in the order sent.
  clauses.sort((a, b) => b.quality - a.quality);
  for (const { type, parameters, quality } of clauses) {
    if (quality === 0) continue;
    const as = parameters.get('as');
    if (as === undefined) return undefined;
    const version = parameters.get('v');
    const spoken = version === 'v2' || version === 'v2beta1';
    if (type === 'application/json' && as === LIST_KIND && parameters.get('g') === aggregatedGroup(dialect) && spoken)
      return version;
  }
  return undefined;
}

function parseClause(clause: string): Clause {
  const [type = '', ...rest] = clause.split(';');
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    if (equals > 0) parameters.set(parameter.slice(0, equals).trim().toLowerCase(), parameter.slice(equals + 1).trim());
  }
  const quality = Number(parameters.get('q') ?? 1);
  return { type: type.trim().toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}
