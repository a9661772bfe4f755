import { ignoring, objectKey, routine, watched, type Controller } from '../../controllers/index.js';
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../kinds/index.js';
import type { InputOf } from '../../registry/index.js';
import { ClaimBinding } from './claim-binding.js';
import type { CloudStorageClass } from './cloud.js';
import type { CloudContext } from './context.js';
import { CloudJobs } from './jobs.js';
import { VolumeAnnotations } from './volume-annotations.js';
import { BY_CLAIM, BY_VOLUME, claimKeyOf, type VolumeContext } from './volume-context.js';
import { VolumeGate } from './volume-gate.js';
import type { ClaimObject, VolumeObject } from './volume-match.js';
import { VolumeReclaiming } from './volume-reclaiming.js';

/** The volumes of a fake cloud: it binds claims, reclaims volumes, and creates the StorageClass of its options. */
export class Volumes {
  readonly controllers: readonly Controller[];
  readonly gate: VolumeGate;
  readonly #context: VolumeContext;
  readonly #binding: ClaimBinding;
  readonly #reclaiming: VolumeReclaiming;

  constructor(host: CloudContext) {
    const { clock, informers, rules, dialect } = host;
    const claims = informers.of(PersistentVolumeClaim);
    const volumes = informers.of(PersistentVolume);
    const classes = informers.of(StorageClass);
    claims.addIndex(BY_VOLUME, volumeNames);
    volumes.addIndex(BY_CLAIM, claimKeys);
    const jobs = new CloudJobs(clock, rules);
    this.#context = { ...host, claims, volumes, classes, jobs, annotations: new VolumeAnnotations(dialect) };
    this.#binding = new ClaimBinding(this.#context);
    this.#reclaiming = new VolumeReclaiming(this.#context, this.#binding);
    this.gate = new VolumeGate(this.#context, this.#binding);
    const start = routine(host, {
      name: 'storage-class',
      watches: [watched(StorageClass)],
      run: () => this.#createClass(),
    });
    this.controllers = [start, this.#binding.controller, this.#reclaiming.controller];
    this.#subscribe();
  }

  #subscribe(): void {
    const { claims, volumes, classes, rules } = this.#context;
    const claimSeen = (claim: ClaimObject): void => {
      this.#reclaiming.remember(claim);
      this.#binding.controller.add(objectKey(claim));
    };
    claims.subscribe({
      added: claimSeen,
      updated: claimSeen,
      deleted: (claim) => {
        const bound = volumes.find(BY_CLAIM, objectKey(claim));
        if (bound.length === 0) this.#reclaiming.forget(claim.metadata.uid ?? '');
        for (const { metadata } of bound) this.#reclaiming.controller.add(metadata.name ?? '');
      },
    });
    const volumeSeen = (volume: VolumeObject): void => void this.#reclaiming.controller.add(volume.metadata.name ?? '');
    volumes.subscribe({
      added: volumeSeen,
      updated: volumeSeen,
      deleted: (volume) => {
        this.#reclaiming.forget(volume.spec?.claimRef?.uid ?? '');
        for (const claim of claims.find(BY_VOLUME, volume.metadata.name ?? ''))
          this.#binding.controller.add(objectKey(claim));
      },
    });
    const retry = (): void => this.#binding.retry();
    classes.subscribe({ added: retry, updated: retry });
    rules.onChange(() => {
      retry();
      for (const volume of volumes.values()) if (isUnclaimed(volume)) volumeSeen(volume);
    });
  }

  async #createClass(): Promise<void> {
    const { storageClass = {} } = this.#context.options;
    if (storageClass === false) return;
    const resource = this.#context.client.resource(StorageClass);
    const { items } = await resource.list({ limit: 1 });
    if (items.length > 0) return;
    await ignoring(resource.create(this.#classObject(storageClass)), 'AlreadyExists');
  }

  #classObject(options: CloudStorageClass): InputOf<typeof StorageClass> {
    const { name = 'standard', volumeBindingMode = 'Immediate', reclaimPolicy = 'Delete' } = options;
    return {
      metadata: { name, annotations: { [this.#context.annotations.defaultClass]: 'true' } },
      provisioner: 'cloud.example.com/disk',
      allowVolumeExpansion: options.allowVolumeExpansion ?? true,
      ...{ volumeBindingMode, reclaimPolicy },
    };
  }
}

/** Index functions, which are compared by identity. */
const claimKeys = (volume: VolumeObject): string[] => [claimKeyOf(volume) ?? []].flat();
const volumeNames = ({ spec }: ClaimObject): string[] => (spec?.volumeName ? [spec.volumeName] : []);

const isUnclaimed = ({ status }: VolumeObject): boolean => status?.phase === 'Released' || status?.phase === 'Failed';
