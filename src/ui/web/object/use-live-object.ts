import { useEffect, useState } from 'preact/hooks';
import { isAborted, wordsOf } from '../data/api.js';
import { isApiObject } from '../data/guards.js';
import { apiVersionOf } from '../data/kinds.js';
import type { ResourceClient, UntypedInput, UntypedObject } from '../../../entries/client-web.js';
import { api } from '../state.js';
import type { ObjectPlace } from './object-view.js';

/** The last known state of an object. */
export interface LiveObject {
  readonly object: UntypedObject | undefined;
  readonly gone: boolean;
  /** Whether a list has shown that there is no such object. */
  readonly missing: boolean;
  /** Why the state may be old; undefined while it is current. */
  readonly failure: string | undefined;
}

const NOTHING: LiveObject = { object: undefined, gone: false, missing: false, failure: undefined };

/** Returns the client of a kind, in the namespace of an object. */
export function resourceOf({ kind, namespace }: ObjectPlace): ResourceClient<UntypedObject, UntypedInput> | undefined {
  const resource = api.value?.client.resource({ apiVersion: apiVersionOf(kind), kind: kind.kind });
  return namespace === undefined ? resource : resource?.namespace(namespace);
}

/** Follows an object. @param form whether its values are read, or its metadata alone */
export function useLiveObject(place: ObjectPlace, form: 'whole' | 'metadata'): LiveObject {
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    const leaving = new AbortController();
    const resource = resourceOf(place);
    const parameters = {
      fieldSelector: `metadata.name=${place.name}`,
      signal: leaving.signal,
      onError: (error: unknown) => setState((before) => ({ ...before, failure: wordsOf(error) })),
    };
    const follow = async (): Promise<void> => {
      if (resource === undefined) return;
      const events = form === 'whole' ? resource.follow(parameters) : resource.metadata().follow(parameters);
      for await (const event of events)
        setState((before) => {
          if (event.type === 'SYNCED') return { ...before, failure: undefined, missing: before.object === undefined };
          if (event.type === 'DELETED') return { ...before, gone: true, failure: undefined };
          if (!isApiObject(event.object))
            return { ...before, failure: 'the server sent something that is not an object' };
          return { object: event.object, gone: false, missing: false, failure: undefined };
        });
    };
    follow().catch((error: unknown) => {
      if (!isAborted(error) && !leaving.signal.aborted) setState((before) => ({ ...before, failure: wordsOf(error) }));
    });
    return () => leaving.abort();
  }, [form]);
  return state;
}
