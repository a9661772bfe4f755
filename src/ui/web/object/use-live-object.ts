import { useEffect, useState } from 'preact/hooks';
import { wordsOf } from '../data/api.js';
import { browserClock } from '../data/clock.js';
import { isApiObject } from '../data/guards.js';
import { apiVersionOf } from '../data/kinds.js';
import type { Loss } from '../data/loss.js';
import { persist } from '../data/persist.js';
import type { FollowEvent, ResourceClient, UntypedInput, UntypedObject } from '../../../entries/client-web.js';
import { api, sight } from '../state.js';
import type { ObjectPlace } from './object-view.js';

/** The last known state of an object. */
export interface LiveObject {
  readonly object: UntypedObject | undefined;
  readonly gone: boolean;
  /** Whether a list has shown that there is no such object. */
  readonly missing: boolean;
  /** Since when the state may be old, and why; undefined while it is followed. */
  readonly loss: Loss | undefined;
  /** Why it is not followed any longer: the server has refused it. */
  readonly failure: string | undefined;
}

const NOTHING: LiveObject = { object: undefined, gone: false, missing: false, loss: undefined, failure: undefined };

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
    const lost = (loss: Loss | undefined): void => setState((before) => ({ ...before, loss }));
    const refused = (error: unknown): void =>
      setState((before) => ({ ...before, loss: undefined, failure: wordsOf(error) }));
    const follow = async (works: () => void, signal: AbortSignal): Promise<'done' | 'ended'> => {
      const resource = resourceOf(place);
      if (resource === undefined) return 'done';
      let isListed = false;
      for await (const event of eventsOf(resource, place.name, form, signal)) {
        works();
        isListed ||= event.type === 'ADDED';
        setState((before) => stateAfter(before, event, isListed));
      }
      return 'ended';
    };
    const { signal } = leaving;
    persist(follow, { clock: browserClock, sight, signal, lost }).catch(refused);
    return () => leaving.abort();
    // Somebody who has signed in again has another connection.
  }, [form, api.value]);
  return state;
}

/** Follows an object until the connection is lost. @throws the failure: a watch that resumes does not say so */
async function* eventsOf(
  resource: Resource,
  name: string,
  form: 'whole' | 'metadata',
  signal: AbortSignal,
): AsyncGenerator<FollowEvent<unknown>> {
  const failing = new AbortController();
  const failures: unknown[] = [];
  const parameters = {
    fieldSelector: `metadata.name=${name}`,
    signal: AbortSignal.any([signal, failing.signal]),
    onError(error: unknown) {
      failures.push(error);
      failing.abort();
    },
  };
  try {
    yield* form === 'whole' ? resource.follow(parameters) : resource.metadata().follow(parameters);
  } catch (error) {
    throw failures[0] ?? error;
  }
  if (failures.length > 0) throw failures[0];
}

type Resource = NonNullable<ReturnType<typeof resourceOf>>;

/** Returns the state after an event. @param isListed whether the object has been seen since the connection was made */
function stateAfter(before: LiveObject, event: FollowEvent<unknown>, isListed: boolean): LiveObject {
  if (event.type === 'SYNCED') {
    const isKnown = before.object !== undefined;
    return { ...before, failure: undefined, missing: !isKnown, gone: before.gone || (isKnown && !isListed) };
  }
  if (event.type === 'DELETED') return { ...before, gone: true, failure: undefined };
  if (!isApiObject(event.object)) return { ...before, failure: 'the server sent something that is not an object' };
  return { object: event.object, gone: false, missing: false, loss: undefined, failure: undefined };
}
