/**
 * Options of admission plugins from the file of the flag `--admission-control-config-file`.
 *
 * @module
 */
import {
  goQuote,
  messageOf,
  type Dialect,
  type FindCredentials,
  type JsonValue,
  type Logger,
  type WebhookPost,
} from '../../foundation/index.js';
import type { AdmissionPluginOptions } from '../plugins/options.js';
import { admissionPluginNames } from '../plugins/table.js';
import { readAdmissionConfiguration, type ConfiguredPlugin } from './admission-configuration.js';
import { readEventRateLimit } from './event-rate-limit.js';
import { readImagePolicy } from './image-policy.js';
import { readPodNodeSelector } from './node-selector.js';
import { readPodSecurity } from './pod-security.js';
import type { ConfigurationReader } from './read-configuration.js';
import { readResourceQuota } from './resource-quota.js';
import { readTolerationRestriction } from './toleration-restriction.js';
import { readWebhookAdmission } from './webhook-admission.js';

/** Access to the files that configurations name. */
export interface AdmissionFiles {
  /** Reads a file, and parses its YAML or JSON. @throws Error */
  read(path: string): Promise<JsonValue>;
  /** Returns an absolute path. @param path relative to the folder of the AdmissionConfiguration */
  absolute(path: string): string;
  isAbsolute(path: string): boolean;
  /** Returns what posts to the service of a kubeconfig. @throws Error */
  connect(kubeConfigFile: string): Promise<WebhookPost>;
  /** Returns the credentials for hosts that a kubeconfig has. @throws Error */
  credentials(kubeConfigFile: string): Promise<FindCredentials>;
}

/** The parts with which configurations are read. */
export interface AdmissionConfigurationParts {
  readonly dialect: Dialect;
  readonly logger: Logger;
  readonly files: AdmissionFiles;
  /** Returns whether a plugin runs. As in Kubernetes, the configurations of others are not read. */
  readonly runs: (plugin: string) => boolean;
}

/** The parts with which the configuration of a plugin is read. */
interface PluginReader extends ConfigurationReader {
  readonly files: AdmissionFiles;
}

type ReadPlugin = (value: JsonValue, reader: PluginReader) => AdmissionPluginOptions | Promise<AdmissionPluginOptions>;

const credentialsOf = async (value: JsonValue, reader: PluginReader) => ({
  credentials: await reader.files.credentials(readWebhookAdmission(value, reader.files.isAbsolute, reader)),
});

/** The plugins that have a configuration. */
const readers: ReadonlyMap<string, ReadPlugin> = new Map<string, ReadPlugin>([
  // An empty file has the defaults.
  ['PodSecurity', (value, reader) => (value === null ? {} : { podSecurity: readPodSecurity(value, reader) })],
  ['EventRateLimit', (value, reader) => ({ eventRateLimit: readEventRateLimit(value, reader) })],
  ['ResourceQuota', (value, reader) => ({ resourceQuota: readResourceQuota(value, reader) })],
  ['PodNodeSelector', (value) => ({ podNodeSelector: readPodNodeSelector(value) })],
  [
    'PodTolerationRestriction',
    (value, reader) => ({ podTolerationRestriction: readTolerationRestriction(value, reader) }),
  ],
  [
    'ImagePolicyWebhook',
    async (value, { files, onUnknownFields }) => {
      const { kubeConfigFile, ...options } = readImagePolicy(value, onUnknownFields);
      return { imagePolicyWebhook: { ...options, post: await files.connect(kubeConfigFile) } };
    },
  ],
  ['MutatingAdmissionWebhook', async (value, reader) => ({ mutatingWebhooks: await credentialsOf(value, reader) })],
  ['ValidatingAdmissionWebhook', async (value, reader) => ({ validatingWebhooks: await credentialsOf(value, reader) })],
]);

/**
 * Returns the options of the plugins that an AdmissionConfiguration configures. As in Kubernetes, the first entry of a
 * plugin counts.
 *
 * @param path the file, for messages
 * @throws Error that names the file and the field of the first mistake
 */
export async function admissionPluginOptions(
  path: string,
  { dialect, logger, files, runs }: AdmissionConfigurationParts,
): Promise<AdmissionPluginOptions> {
  const ignored = (file: string) => (fields: readonly string[]) =>
    logger.error('an admission configuration has unknown fields, which are ignored', { file, fields });
  const plugins = await at(path, async () =>
    readAdmissionConfiguration(await files.read(path), { dialect, onUnknownFields: ignored(path) }),
  );
  let options: AdmissionPluginOptions = {};
  const seen = new Set<string>();
  for (const [index, plugin] of plugins.entries()) {
    const read = readers.get(plugin.name);
    const unused = seen.has(plugin.name) ? 'an earlier entry has its configuration' : unusedText(plugin, read, runs);
    seen.add(plugin.name);
    if (unused !== undefined || read === undefined) {
      logger.info('an entry of the admission configuration is not used', {
        ...{ file: path, entry: index, plugin: plugin.name, reason: unused },
      });
      continue;
    }
    const source = sourceOf(plugin, path, index, files);
    if (source === undefined) continue;
    const reader = { dialect, files, onUnknownFields: ignored(source.name) };
    options = { ...options, ...(await loaded(plugin.name, source, async (value) => read(value, reader))) };
  }
  return options;
}

/** Returns why the configuration of a plugin is not read; undefined when it is. */
function unusedText(
  { name }: ConfiguredPlugin,
  read: ReadPlugin | undefined,
  runs: AdmissionConfigurationParts['runs'],
): string | undefined {
  if (!admissionPluginNames.some((known) => known === name)) return 'there is no such plugin';
  if (read === undefined) return 'the plugin has no configuration';
  return runs(name) ? undefined : 'the plugin does not run';
}

/** A configuration, and its name in messages. */
interface Source {
  readonly name: string;
  readonly value: () => JsonValue | Promise<JsonValue>;
}

function sourceOf(
  { path, configuration }: ConfiguredPlugin,
  parent: string,
  index: number,
  files: AdmissionFiles,
): Source | undefined {
  if (configuration !== undefined && configuration !== null)
    return { name: `${parent}: plugins[${index}].configuration`, value: () => configuration };
  if (path === '') return undefined;
  const name = files.absolute(path);
  return { name, value: () => files.read(name) };
}

/** @throws Error that names the plugin and its configuration */
async function loaded<Result>(
  plugin: string,
  { name, value }: Source,
  read: (value: JsonValue) => Promise<Result>,
): Promise<Result> {
  const begin = `couldn't init admission plugin ${goQuote(plugin)}: ${name}`;
  return at(begin, async () => read(await value()));
}

/** @throws Error whose message begins with a place */
async function at<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${place}: ${messageOf(error)}`, { cause: error });
  }
}
