/**
 * The terms that the servers of a store have to agree on, as one of them states them. Everything in it is public.
 *
 * @module
 */

/** The settings that must have one value on all servers of a store. */
export type AgreedValue = 'clusterIPRange' | 'nodePortRange';

/** The settings by which a server makes something that the others must accept. */
export type AgreedTrust = 'serviceAccountKeys' | 'issuers' | 'clientAuthorities';

/** The means of a server, and those of others that it accepts, each by a public name such as a fingerprint. */
export interface Trust {
  readonly uses: readonly string[];
  /** Includes what the server itself uses. */
  readonly accepts: readonly string[];
}

/** The terms of a server. A former build may lack some members, and a later one may have more. */
export interface Statement {
  readonly values: ReadonlyMap<string, string>;
  readonly trust: ReadonlyMap<string, Trust>;
}

/** Stands for the keys that a server accepts because it follows the signing key in the storage. */
export const STORED_KEYS = 'stored';

/** The options that set each value, for messages. */
const OPTIONS_OF_VALUES: Readonly<Record<AgreedValue, string>> = {
  clusterIPRange: 'network.clusterIPRange (--service-cluster-ip-range)',
  nodePortRange: 'network.nodePortRange (--service-node-port-range)',
};

/** The words for each means, and the option that accepts more, for messages. */
const WORDS_OF_TRUST: Readonly<Record<AgreedTrust, { readonly used: string; readonly option: string }>> = {
  serviceAccountKeys: {
    used: 'service account tokens signed with the key',
    option: 'authentication.serviceAccounts.verificationKeys (--service-account-key-file)',
  },
  issuers: {
    used: 'service account tokens of the issuer',
    option: 'authentication.serviceAccounts.issuers (--service-account-issuer)',
  },
  clientAuthorities: {
    used: 'client certificates of the authority with the fingerprint',
    option: 'authentication.clientCertificates (--client-ca-file)',
  },
};

const valueNames = Object.keys(OPTIONS_OF_VALUES) as readonly AgreedValue[];
const trustNames = Object.keys(WORDS_OF_TRUST) as readonly AgreedTrust[];

/** Returns the values of a server that differ from the agreed ones, each as a message with the option and both values. */
export function differentValues(own: Statement, agreed: ReadonlyMap<string, string>): string[] {
  return valueNames.flatMap((name) => {
    const [here, there] = [own.values.get(name), agreed.get(name)];
    if (here === undefined || there === undefined || here === there) return [];
    return [`${OPTIONS_OF_VALUES[name]} is ${here} here and ${there} there`];
  });
}

/** Returns what a server or one of the others does not accept of what the other uses, as messages with the remedy. */
export function missingTrust(own: Statement, others: Iterable<ReadonlyMap<string, Trust>>): string[] {
  const problems = new Set<string>();
  for (const other of others)
    for (const name of trustNames) {
      const [here, there] = [own.trust.get(name), other.get(name)];
      if (here === undefined || there === undefined) continue;
      if (name === 'serviceAccountKeys' && [here, there].every(({ accepts }) => accepts.includes(STORED_KEYS)))
        continue;
      const { used, option } = WORDS_OF_TRUST[name];
      for (const id of unaccepted(there, here))
        problems.add(`this server does not accept ${used} ${id}, which another server uses: add it to ${option}`);
      for (const id of unaccepted(here, there))
        problems.add(
          `another server does not accept ${used} ${id}, which this server uses: first add it to ${option} of every server`,
        );
    }
  return [...problems];
}

const unaccepted = ({ uses }: Trust, { accepts }: Trust): readonly string[] =>
  uses.filter((id) => !accepts.includes(id));
