import { inSlices, whenReady, workOf, type Steps, type Work } from '../../foundation/index.js';
import type { AdmissionAttributes, Catalogue, ResourceInfo } from '../../registry/index.js';
import { equivalentResources, kindOfRoute } from './equivalents.js';
import type { RequestRoute } from './match-resources.js';

/** Policies or webhooks by the operation and subresource of a route. */
type Routes<Item> = Map<string, readonly Item[]>;

/** The items that can match on a route. They are found once for each route after a change. */
export class RouteCache<Item> {
  readonly #catalogue: Pick<Catalogue, 'resources'>;
  readonly #find: (route: RequestRoute, work: Work) => Steps<readonly Item[]>;
  #routes = new WeakMap<ResourceInfo, Routes<Item>>();
  /** The served kinds for which the routes are known. */
  #served: Catalogue['resources'] | undefined;

  /** @param find returns what can match on a route */
  constructor(
    catalogue: Pick<Catalogue, 'resources'>,
    find: (route: RequestRoute, work: Work) => Steps<readonly Item[]>,
  ) {
    this.#catalogue = catalogue;
    this.#find = find;
  }

  /** Returns what can match a request: at once when it is known, or else in the slices of the request. */
  of({ info, operation, subresource, context }: AdmissionAttributes): readonly Item[] | Promise<readonly Item[]> {
    const { resources } = this.#catalogue;
    if (this.#served !== resources) {
      this.forget();
      this.#served = resources;
    }
    let routes = this.#routes.get(info);
    if (routes === undefined) this.#routes.set(info, (routes = new Map<string, readonly Item[]>()));
    const key = subresource === '' ? operation : `${operation}/${subresource}`;
    const known = routes.get(key);
    if (known !== undefined) return known;
    const work = workOf(context);
    const finding = this.#find(this.#route(info, operation, subresource), work);
    // A change meanwhile forgets the routes, and these with them.
    const found = routes;
    return whenReady(inSlices(work, finding, 'admission'), (items) => {
      found.set(key, items);
      return items;
    });
  }

  /** Forgets what it found, because something changed. */
  forget(): void {
    this.#routes = new WeakMap();
  }

  #route(info: ResourceInfo, operation: AdmissionAttributes['operation'], subresource: string): RequestRoute {
    let equivalents: RequestRoute['equivalents'] = () => {
      const found = equivalentResources(this.#catalogue, info, subresource);
      equivalents = () => found;
      return found;
    };
    const requested = { info, kind: kindOfRoute(info, subresource) };
    return { operation, subresource, requested, equivalents: () => equivalents() };
  }
}
