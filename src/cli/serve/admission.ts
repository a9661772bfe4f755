import { dirname, isAbsolute, resolve } from 'node:path';
import {
  admissionPluginNames,
  defaultAdmissionPlugins,
  type AdmissionFiles,
  type AdmissionPluginName,
  type AdmissionPluginOptions,
} from '../../admission/index.js';
import { importConfiguration } from '../../admission/late.js';
import { hostCredentials, loadKubeConfig } from '../../client/node.js';
import { decodeUtf8Lossy, goQuote } from '../../foundation/index.js';
import { parseConfigurationText } from '../../server/index.js';
import type { FlagValues } from '../flags/flag.js';
import { UsageError } from '../usage-error.js';
import { orUsageError, readText } from './files.js';
import type { admissionFlags } from './flags/admission-flags.js';
import { postOfKubeConfig, type ServiceContext } from './kubeconfig-service.js';

const FLAGS = ['enable-admission-plugins', 'disable-admission-plugins'] as const;
const CONFIGURATION = 'admission-control-config-file';

/** Parsed values of the admission flags. */
export type AdmissionValues = FlagValues<typeof admissionFlags>;

/**
 * Returns the admission plugins of the flags, with the configurations of their file.
 *
 * @throws UsageError that names the file and the field of a mistake; see {@link admissionOf} for the names of plugins
 */
export async function admissionOptions(
  values: AdmissionValues,
  context: ServiceContext,
): Promise<AdmissionPluginOptions> {
  const switches = admissionOf(values);
  const path = values[CONFIGURATION];
  const { dialect, logger } = context;
  const read = async (): Promise<AdmissionPluginOptions> => {
    const { admissionPluginOptions } = await importConfiguration();
    return admissionPluginOptions(path, {
      ...{ dialect, logger, files: filesBeside(path, context) },
      runs: (name) => switches.enable?.some((running) => running === name) === true,
    });
  };
  const configured = path === '' ? {} : await orUsageError(CONFIGURATION, read);
  const options: AdmissionPluginOptions = { ...switches, ...configured };
  requireConfigured('EventRateLimit', options, options.eventRateLimit);
  requireConfigured('ImagePolicyWebhook', options, options.imagePolicyWebhook);
  return options;
}

/** Some plugins can do nothing without a configuration. @throws UsageError */
function requireConfigured(
  name: AdmissionPluginName,
  { enable = [] }: AdmissionPluginOptions,
  configuration: unknown,
): void {
  if (enable.includes(name) && configuration === undefined)
    throw new UsageError(
      `--enable-admission-plugins: the plugin ${name} needs its configuration in the file of --${CONFIGURATION}`,
    );
}

function filesBeside(path: string, context: ServiceContext): AdmissionFiles {
  const { host, dialect, logger } = context;
  return {
    read: async (file) => parseConfigurationText(await readText(file)),
    absolute: (file) => resolve(dirname(path), file),
    isAbsolute,
    connect: (file) => postOfKubeConfig(file, 'image policy webhook', context),
    credentials: async (file) =>
      hostCredentials(await loadKubeConfig({ explicitPath: file, dialect }), {
        ...{ dialect, clock: host.clock },
        // A server has no user who could answer a plugin's questions.
        exec: { stdinIsTerminal: () => false, stderr: (chunk) => void host.stderr.write(decodeUtf8Lossy(chunk)) },
        warn: (error) => logger.info('admission webhooks: credentials', { reason: error.message }),
      }),
  };
}

/**
 * Returns the admission plugins of the flags. The program runs all that Kubernetes runs by default.
 *
 * @throws UsageError for unknown names, and for names in both flags
 */
export function admissionOf(
  values: Readonly<Record<(typeof FLAGS)[number], readonly string[]>>,
): AdmissionPluginOptions {
  const [enable = [], disable = []] = FLAGS.map((flag) => values[flag].map((name) => known(flag, name)));
  const both = enable.filter((name) => disable.includes(name));
  if (both.length > 0)
    throw new UsageError(
      `[${[...new Set(both)].sort().join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`,
    );
  return {
    enable: [...new Set([...defaultAdmissionPlugins, ...enable])].filter((name) => !disable.includes(name)),
    disable,
  };
}

function known(flag: string, name: string): AdmissionPluginName {
  const found = admissionPluginNames.find((candidate) => candidate === name);
  if (found === undefined) throw new UsageError(`${flag} plugin ${goQuote(name)} is unknown`);
  return found;
}
