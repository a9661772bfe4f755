import { decodeJwt, decodeProtectedHeader } from 'jose';
import { wordsOf } from '../data/api.js';
import { shownValue } from '../parts/shown-value.js';
import { broken, knownFacts, timeText, validityText, type Decoded, type Fact } from './decoded.js';

const TIMES: Readonly<Record<string, string>> = { exp: 'Expires', nbf: 'Not before', iat: 'Issued' };
const TITLES: Readonly<Record<string, string>> = { iss: 'Issuer', sub: 'Subject', aud: 'Audience' };

/** Decodes a JSON Web Token. Its signature is not verified: only its issuer's keys could say. */
export function decodeToken(token: string, now: number): Decoded {
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    const claims = decodeJwt(token);
    const dateOf = (seconds: number | undefined): Date | undefined =>
      seconds === undefined ? undefined : new Date(seconds * 1000);
    const facts: Fact[] = [
      ['Validity', validityText(dateOf(claims.nbf), dateOf(claims.exp), now)],
      ...Object.entries(claims).map(([name, value]): Fact => claimFact(name, value)),
      ...knownFacts([
        ['Algorithm', alg],
        ['Key', kid],
        ['Signature', '○ not verified here'],
      ]),
    ];
    return { title: `Token of ${claims.sub ?? 'nobody'}`, facts, parts: [], problem: undefined };
  } catch (error) {
    return broken('Token', `cannot be decoded: ${wordsOf(error)}`);
  }
}

function claimFact(name: string, value: unknown): Fact {
  const isTime = Object.hasOwn(TIMES, name) && typeof value === 'number';
  const title = TIMES[name] ?? TITLES[name] ?? name;
  return [title, isTime ? timeText(new Date(value * 1000)) : typeof value === 'string' ? value : shownValue(value)];
}
