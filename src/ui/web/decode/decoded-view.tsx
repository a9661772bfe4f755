import { useEffect, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { wordsOf } from '../data/api.js';
import { browserClock } from '../data/clock.js';
import { Failure } from '../parts/failure.js';
import { decodePem } from './certificates.js';
import type { Decoded } from './decoded.js';
import { encodedIn, type Encoded } from './find.js';
import { decodeKubeconfig } from './kubeconfig.js';
import { decodeToken } from './token.js';

/** A text of the object, and what it means. */
interface Shown {
  readonly place: string;
  readonly decoded: readonly Decoded[];
}

/** The certificates, requests, bundles, tokens and kubeconfigs in an object, decoded in the browser. */
export function DecodedView({ object }: { readonly object: UntypedObject }) {
  const [shown, setShown] = useState<readonly Shown[] | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  useEffect(() => {
    let left = false;
    decodeAll(object).then(
      (all) => left || setShown(all),
      (error: unknown) => left || setFailure(wordsOf(error)),
    );
    return () => void (left = true);
  }, [object]);
  if (failure !== undefined) return <Failure text={failure} />;
  if (shown === undefined) return <p class="muted">Loading…</p>;
  if (shown.length === 0)
    return <p class="muted">The object has no certificate, request, bundle, token or kubeconfig.</p>;
  return (
    <>
      {shown.map(({ place, decoded }) => (
        <section key={place} aria-label={place} class="decoded">
          <h2>{place}</h2>
          {decoded.map((each, index) => (
            <Part key={index} decoded={each} />
          ))}
        </section>
      ))}
    </>
  );
}

/** Everything in the order of the object. */
const decodeAll = (object: UntypedObject): Promise<Shown[]> =>
  Promise.all(
    encodedIn(object).map(async (encoded) => ({
      place: encoded.place,
      decoded: await decode(encoded, browserClock.now()),
    })),
  );

async function decode({ form, text }: Encoded, now: number): Promise<readonly Decoded[]> {
  if (form === 'pem') return decodePem(text, now);
  return [form === 'token' ? decodeToken(text, now) : await decodeKubeconfig(text, now)];
}

function Part({ decoded: { title, facts, parts, problem } }: { readonly decoded: Decoded }) {
  return (
    <details open>
      <summary>{title}</summary>
      {problem !== undefined && <p class="bad">✕ {problem}</p>}
      {facts.length > 0 && (
        <dl class="keys">
          {facts.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
      )}
      {parts.map((part, index) => (
        <Part key={index} decoded={part} />
      ))}
    </details>
  );
}
