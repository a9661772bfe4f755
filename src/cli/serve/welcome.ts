import { kubernetes, type Dialect } from '../../foundation/index.js';
import { PROGRAM } from '../command.js';

/** Facts in the welcome text. */
export interface WelcomeFacts {
  readonly version: string;
  readonly dialect: Dialect;
  /** URL of the secure port. */
  readonly secure: string | undefined;
  /** URL of the plaintext port. */
  readonly insecure: string | undefined;
  /** File of the certificate authority of the serving certificate. */
  readonly authorityFile: string;
  /** File of the kubeconfig; empty when none was written. */
  readonly kubeconfig: string;
  /** Notice about the location of the state. */
  readonly storage: string;
  /** Link that opens the page for people once; undefined when the page is not served. */
  readonly page: string | undefined;
}

/** Returns the text that is shown on a terminal at startup. */
export function welcome(facts: WelcomeFacts): string {
  const { version, dialect, secure, insecure, kubeconfig, storage, page } = facts;
  const urls = [secure, insecure === undefined ? undefined : `${insecure} (from this machine only)`].filter(
    (url) => url !== undefined,
  );
  return [
    `${PROGRAM} ${version}, dialect ${dialect.name}: ${storage}.`,
    '',
    ...urls.map((url) => `  ${url}`),
    '',
    ...(page === undefined ? [] : [`In a browser, as the owner (once, within five minutes): ${page}`, '']),
    ...(kubeconfig === '' ? [] : [`Kubeconfig of the owner, with all permissions: ${kubeconfig}`, '']),
    'To try:',
    ...commandsToTry(facts).map((command) => `  ${command}`),
    '',
    ...(dialect.name === kubernetes.name
      ? []
      : [`For ${kubernetes.commandLineName}, start with --dialect ${kubernetes.name}.`, '']),
    '',
  ].join('\n');
}

/** Returns three commands that work unchanged in the directory in which the server was started. */
export function commandsToTry({
  dialect,
  secure,
  insecure,
  authorityFile,
  kubeconfig,
}: WelcomeFacts): readonly string[] {
  if (dialect.name === kubernetes.name && kubeconfig !== '') {
    const tool = `${dialect.commandLineName} --kubeconfig ${quoted(kubeconfig)}`;
    return [
      `${tool} get namespaces`,
      `${tool} create configmap hello --from-literal=greeting=hi`,
      `${tool} get configmap hello -o yaml`,
    ];
  }
  const curl = insecure === undefined ? `curl --cacert ${quoted(authorityFile)}` : 'curl';
  const url = insecure ?? secure ?? '';
  if (kubeconfig === '') return [`${curl} '${url}/readyz?verbose'`, `${curl} ${url}/livez`, `${curl} ${url}/version`];
  const owner = `${curl} -H "Authorization: Bearer $TOKEN"`;
  const hello = '{"metadata": {"name": "hello"}, "data": {"greeting": "hi"}}';
  return [
    `TOKEN=$(awk '$1 == "token:" {print $2}' ${quoted(kubeconfig)})`,
    `${owner} ${url}/api/v1/namespaces`,
    `${owner} -H 'Content-Type: application/json' -d '${hello}' ${url}/api/v1/namespaces/${dialect.namespaces.default}/configmaps`,
  ];
}

/** Quotes a path for the shell, if needed. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
