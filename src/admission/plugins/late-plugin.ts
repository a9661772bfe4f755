import { loading } from '../../foundation/index.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/index.js';

/** The facts about a plugin that are known before its code is loaded. */
export interface LatePlugin extends Pick<AdmissionPlugin, 'name' | 'operations' | 'kinds'> {
  /** The stages that the plugin has. */
  readonly stages: 'mutate' | 'validate' | 'both';
  /** Returns whether a request concerns the plugin. Default: every request for its kinds does. */
  readonly concerns?: ((attributes: AdmissionAttributes) => boolean) | undefined;
  readonly load: () => Promise<AdmissionPlugin>;
}

/** Creates a plugin whose code is loaded for the first request that concerns it. */
export function latePlugin({ stages, concerns = () => true, load, ...declared }: LatePlugin): AdmissionPlugin {
  let plugin: AdmissionPlugin | undefined;
  const loaded = async (): Promise<AdmissionPlugin> => (plugin ??= await loading(load()));
  return {
    ...declared,
    ...(stages !== 'validate' && {
      mutate: (attributes, round) => {
        if (!concerns(attributes)) return undefined;
        if (plugin !== undefined) return plugin.mutate?.(attributes, round);
        return loaded().then((made) => made.mutate?.(attributes, round));
      },
    }),
    ...(stages !== 'mutate' && {
      validate: (attributes) => {
        if (!concerns(attributes)) return undefined;
        if (plugin !== undefined) return plugin.validate?.(attributes);
        return loaded().then((made) => made.validate?.(attributes));
      },
    }),
  };
}
