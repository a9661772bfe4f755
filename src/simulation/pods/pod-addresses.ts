/** The addresses of the pods of a node, from its range. */
export class PodAddressRange {
  readonly #first: number;
  readonly #last: number;
  readonly #used = new Set<number>();
  #next: number;

  /** @param range IPv4 range, such as `10.244.0.0/24`; its first address is that of the node's bridge */
  constructor(range: string) {
    const [base = '', bits = '24'] = range.split('/');
    const network = parseIPv4(base) ?? parseIPv4(DEFAULT_BASE) ?? 0;
    this.#first = network + 2;
    this.#last = network + 2 ** (32 - Number(bits)) - 2;
    this.#next = this.#first;
  }

  /** Returns an address that no pod has; the addresses are given in turn. @throws Error when all are taken */
  take(): string {
    for (let tries = this.#last - this.#first; tries >= 0; tries -= 1) {
      const address = this.#next;
      this.#next = address === this.#last ? this.#first : address + 1;
      if (this.#used.has(address)) continue;
      this.#used.add(address);
      return formatIPv4(address);
    }
    throw new Error('the node has no addresses left for pods');
  }

  /** Marks the address of a pod as taken. */
  keep(address: string): void {
    const value = parseIPv4(address);
    if (value !== undefined) this.#used.add(value);
  }

  release(address: string): void {
    const value = parseIPv4(address);
    if (value !== undefined) this.#used.delete(value);
  }
}

const DEFAULT_BASE = '10.244.0.0';

/** Returns the number of an address; undefined for another text. */
export function parseIPv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.reduce((value, part) => value * 256 + part, 0);
}

/** Returns the text of an address. */
export function formatIPv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
