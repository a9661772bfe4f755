/** What the page shows, as its address says. */
export type Route =
  | { readonly at: 'home' }
  | {
      readonly at: 'table';
      readonly group: string;
      readonly version: string;
      readonly plural: string;
      readonly query: TableQuery;
    }
  | {
      readonly at: 'object';
      readonly group: string;
      readonly version: string;
      readonly plural: string;
      /** Undefined for an object of the cluster. */
      readonly namespace: string | undefined;
      readonly name: string;
      readonly tab: Tab;
    };

/** The parts of an object's page. */
export const TABS = ['yaml', 'conditions', 'events', 'edit'] as const;
export type Tab = (typeof TABS)[number];

/** The filters and the order of a table. */
export interface TableQuery {
  readonly namespaces: readonly string[];
  readonly labels: string;
  readonly fields: string;
  readonly text: string;
  /** A column's name in lower case, with a minus sign for the reverse order; empty for the order of the server. */
  readonly sort: string;
}

/** Returns the route of an address below the page; home for an unknown one. */
export function routeOf(path: string, search: string): Route {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const [root, group = '', version, plural, namespace, name] = parts;
  const query = new URLSearchParams(search);
  if (root !== 'r' || version === undefined || plural === undefined) return { at: 'home' };
  const kind = { group: group === 'core' ? '' : group, version, plural };
  if (namespace === undefined || name === undefined) return { at: 'table', ...kind, query: tableQueryOf(query) };
  const tab = TABS.find((known) => known === query.get('tab')) ?? 'yaml';
  return { at: 'object', ...kind, namespace: namespace === '-' ? undefined : namespace, name, tab };
}

/** Returns the address of a route, relative to the page. */
export function addressOf(route: Route): string {
  if (route.at === 'home') return '';
  const { group, version, plural } = route;
  const base = `r/${[group === '' ? 'core' : group, version, plural].map(encodeURIComponent).join('/')}`;
  if (route.at === 'table') return base + searchOf(route.query);
  const object = `${base}/${encodeURIComponent(route.namespace ?? '-')}/${encodeURIComponent(route.name)}`;
  return route.tab === 'yaml' ? object : `${object}?tab=${route.tab}`;
}

export const NO_QUERY: TableQuery = { namespaces: [], labels: '', fields: '', text: '', sort: '' };

const tableQueryOf = (query: URLSearchParams): TableQuery => ({
  namespaces: (query.get('ns') ?? '').split(',').filter((name) => name !== ''),
  labels: query.get('label') ?? '',
  fields: query.get('field') ?? '',
  text: query.get('q') ?? '',
  sort: query.get('sort') ?? '',
});

function searchOf({ namespaces, labels, fields, text, sort }: TableQuery): string {
  const query = new URLSearchParams();
  const entries = { ns: namespaces.join(','), label: labels, field: fields, q: text, sort };
  for (const [name, value] of Object.entries(entries)) if (value !== '') query.set(name, value);
  return query.size === 0 ? '' : `?${query}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
