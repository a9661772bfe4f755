/** The view that the page shows, as its address says. */
export type Route =
  | { readonly at: 'home' }
  | { readonly at: 'test' }
  | { readonly at: 'access'; readonly query: AccessQuery }
  | { readonly at: 'traffic'; readonly query: TrafficQuery }
  | (KindAddress & { readonly at: 'table'; readonly query: TableQuery })
  | (KindAddress & {
      readonly at: 'create';
      readonly namespace: string | undefined;
      /** Whether the new object is entered by a form. */
      readonly asForm?: boolean | undefined;
    })
  | (KindAddress & {
      readonly at: 'object';
      /** Undefined for an object of the cluster. */
      readonly namespace: string | undefined;
      readonly name: string;
      readonly tab: Tab;
      /** The version that its history shows; undefined for the newest. */
      readonly past?: string | undefined;
      /** Two versions that its history compares: `1038..1042`, or `1038..now`. */
      readonly diff?: string | undefined;
      /** Another object of the kind that its history compares: `NAMESPACE/NAME`, or `NAME` for one of the cluster. */
      readonly other?: string | undefined;
      /** The path of the field whose line is marked: `spec.replicas`. */
      readonly line?: string | undefined;
    });

/** How an address names a kind. */
export interface KindAddress {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The parts of an object's page. */
export const TABS = ['yaml', 'conditions', 'events', 'related', 'graph', 'history', 'decoded', 'edit', 'form'] as const;
export type Tab = (typeof TABS)[number];

/** The filters and the order of a table. */
export interface TableQuery {
  readonly namespaces: readonly string[];
  readonly labels: string;
  readonly fields: string;
  readonly text: string;
  /** A column's name in lower case, with a minus sign for the reverse order; empty for the order of the server. */
  readonly sort: string;
  /** The version of the store that is shown; empty for the current state. */
  readonly past: string;
  /** The columns, in their order, with their widths; empty for those of the server. See `chosenColumns`. */
  readonly columns: string;
}

/** A question about access. Texts that do not matter are empty. */
export interface AccessQuery {
  readonly user: string;
  /** Names with commas between them: groups of the user. */
  readonly groups: string;
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
}

/** The filter of requests, and the parts that are open. */
export interface TrafficQuery {
  readonly verb: string;
  readonly user: string;
  /** A status code, or a class such as `4xx`. */
  readonly code: string;
  /** A part of the path. */
  readonly path: string;
  /** The parts that are open: `now`, `controllers`, or both with a comma between them. */
  readonly show: string;
}

export const NO_QUERY: TableQuery = {
  namespaces: [],
  labels: '',
  fields: '',
  text: '',
  sort: '',
  past: '',
  columns: '',
};
export const NO_ACCESS: AccessQuery = {
  user: '',
  groups: '',
  verb: 'get',
  resource: '',
  group: '',
  namespace: '',
  name: '',
};
export const NO_TRAFFIC: TrafficQuery = { verb: '', user: '', code: '', path: '', show: '' };

/** Returns the route of an address below the page; home for an unknown one. */
export function routeOf(path: string, search: string): Route {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const [root, group = '', version, plural, namespace, name] = parts;
  // They would lead out of the page.
  if (parts.some((part) => part === '.' || part === '..')) return { at: 'home' };
  const query = new URLSearchParams(search);
  if (root === 'access' && parts.length === 1) return { at: 'access', query: read(query, NO_ACCESS) };
  if (root === 'traffic' && parts.length === 1) return { at: 'traffic', query: read(query, NO_TRAFFIC) };
  if (root === 'test' && parts.length === 1) return { at: 'test' };
  if (root !== 'r' || version === undefined || plural === undefined) return { at: 'home' };
  const kind = { group: group === 'core' ? '' : group, version, plural };
  if (namespace === undefined || name === undefined) return collectionRoute(kind, query);
  const [past, diff, other, line] = ['at', 'diff', 'with', 'line'].map((key) => query.get(key) ?? undefined);
  // Only a history compares.
  const isHistory = diff !== undefined || other !== undefined;
  const tab = TABS.find((known) => known === query.get('tab')) ?? (isHistory ? 'history' : 'yaml');
  const place = { namespace: namespace === '-' ? undefined : namespace, name };
  const shown = Object.entries({ past, diff, other, line }).filter(([, value]) => value !== undefined);
  return { at: 'object', ...kind, ...place, tab, ...Object.fromEntries(shown) };
}

function collectionRoute(kind: KindAddress, query: URLSearchParams): Route {
  if (query.has('new')) {
    const asForm = query.get('new') === 'form' ? { asForm: true } : {};
    return { at: 'create', ...kind, namespace: query.get('ns') ?? undefined, ...asForm };
  }
  return { at: 'table', ...kind, query: tableQueryOf(query) };
}

/** Returns the address of a route, relative to the page. */
export function addressOf(route: Route): string {
  if (route.at === 'home') return '';
  if (route.at === 'test') return 'test';
  if (route.at === 'access') return `access${searchOf(changedFrom(route.query, NO_ACCESS))}`;
  if (route.at === 'traffic') return `traffic${searchOf(changedFrom(route.query, NO_TRAFFIC))}`;
  const { group, version, plural } = route;
  const base = `r/${[group === '' ? 'core' : group, version, plural].map(encodeURIComponent).join('/')}`;
  if (route.at === 'table') return base + tableSearch(route.query);
  if (route.at === 'create')
    return base + searchOf({ new: route.asForm === true ? 'form' : '1', ns: route.namespace ?? '' });
  const object = `${base}/${encodeURIComponent(route.namespace ?? '-')}/${encodeURIComponent(route.name)}`;
  const { tab, past: at = '', diff = '', other = '', line = '' } = route;
  return object + searchOf({ tab: tab === 'yaml' ? '' : tab, at, diff, with: other, line });
}

const tableQueryOf = (query: URLSearchParams): TableQuery => ({
  namespaces: (query.get('ns') ?? '').split(',').filter((name) => name !== ''),
  labels: query.get('label') ?? '',
  fields: query.get('field') ?? '',
  text: query.get('q') ?? '',
  sort: query.get('sort') ?? '',
  past: query.get('at') ?? '',
  columns: query.get('cols') ?? '',
});

const tableSearch = ({ namespaces, labels, fields, text, sort, past, columns }: TableQuery): string =>
  searchOf({ ns: namespaces.join(','), label: labels, field: fields, q: text, sort, at: past, cols: columns });

/** Returns a query of texts, each with the same name as in the address. */
const read = <Query extends object>(search: URLSearchParams, defaults: Query): Query => ({
  ...defaults,
  ...Object.fromEntries([...search].filter(([name]) => Object.hasOwn(defaults, name))),
});

/** Returns the texts of a query that are not the defaults. */
const changedFrom = (query: object, defaults: object): Record<string, string> => {
  const known = new Map<string, unknown>(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(query)
      .filter(([name, value]) => value !== known.get(name))
      .map(([name, value]) => [name, String(value)]),
  );
};

function searchOf(entries: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
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
