/**
 * Aggregated discovery (KEP-3352): all groups, versions and resources in one document. Clients request it with the
 * parameters `g`, `v` and `as` of the Accept header.
 *
 * @module
 */
import type { Dialect } from '../../foundation/index.js';

/** Supported versions of aggregated discovery. */
export type AggregatedVersion = 'v2' | 'v2beta1';

/** Kind of the documents. */
export const LIST_KIND = 'APIGroupDiscoveryList';

/** Returns the group of the documents. */
export function aggregatedGroup(dialect: Dialect): string {
  return `apidiscovery.${dialect.groupSuffix}`;
}

/** Returns the Content-Type of the response. */
export function aggregatedContentType(dialect: Dialect, version: AggregatedVersion): string {
  return `application/json;g=${aggregatedGroup(dialect)};v=${version};as=${LIST_KIND}`;
}

/** Creates the document from its groups. */
export function aggregatedList(dialect: Dialect, version: AggregatedVersion, items: readonly object[]): object {
  return { kind: LIST_KIND, apiVersion: `${aggregatedGroup(dialect)}/${version}`, metadata: {}, items };
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Returns the version of aggregated discovery that the best clause of an Accept header requests; undefined for the
 * plain form. Among clauses of the same quality the first wins, so a client that lists plain JSON first gets the plain
 * form. Clauses for other kinds or unsupported versions are ignored.
 */
export function wantsAggregated(accept: string, dialect: Dialect): AggregatedVersion | undefined {
  if (!accept.includes(LIST_KIND)) return undefined;
  const clauses = accept.split(',').map(parseClause);
  // The sort is stable: clauses of equal quality keep their order.
  clauses.sort((a, b) => b.quality - a.quality);
  for (const { type, parameters, quality } of clauses) {
    if (quality === 0) continue;
    const as = parameters.get('as');
    if (as === undefined) return undefined;
    const version = parameters.get('v');
    const supported = version === 'v2' || version === 'v2beta1';
    if (
      type === 'application/json' &&
      as === LIST_KIND &&
      parameters.get('g') === aggregatedGroup(dialect) &&
      supported
    )
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
