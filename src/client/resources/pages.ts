import type { ListParameters, ObjectList } from '../client.js';
import { isGone } from '../follow/follower.js';

/** Options of reading a collection page by page. */
export interface PagesParameters extends Omit<ListParameters, 'continue'> {
  /**
   * The next step when the state that the pages show expires between two of them (410): `restart` begins again, with the
   * first page of a newer state; `continue` goes on with the objects that follow in a newer state. Default: the error.
   */
  readonly expired?: 'restart' | 'continue' | undefined;
}

const DEFAULT_PAGE = 500;

/** Yields a collection page by page. @throws as a list does */
export async function* pagesOf<Item>(
  list: (parameters: ListParameters) => Promise<ObjectList<Item>>,
  { expired, limit = DEFAULT_PAGE, ...parameters }: PagesParameters,
): AsyncGenerator<ObjectList<Item>, void, undefined> {
  // A token has the version of the first page.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...later } = parameters;
  let token: string | undefined;
  for (;;) {
    try {
      const page = await list(token === undefined ? { ...parameters, limit } : { ...later, limit, continue: token });
      yield page;
      token = page.metadata.continue;
      if (token === undefined || token === '') return;
    } catch (error) {
      if (token === undefined || expired === undefined || !isGone(error)) throw error;
      token = expired === 'restart' ? undefined : error.status.metadata.continue;
      if (token === '') throw error;
      if (expired === 'continue' && token === undefined) throw error;
    }
  }
}
