/**
 * How many times something is needed on each node. Most things are needed on one node only, so the first needs no map: a large
 * cluster has hundreds of thousands of these.
 */
export class NodeCounts {
  #node = '';
  #count = 0;
  #others: Map<string, number> | undefined;

  /** Counts a node once more. @returns whether it was not counted before */
  add(node: string): boolean {
    if (this.#count > 0 && this.#node === node) {
      this.#count += 1;
      return false;
    }
    const count = this.#others?.get(node) ?? 0;
    if (count === 0 && this.#count === 0) {
      this.#node = node;
      this.#count = 1;
    } else {
      this.#others ??= new Map();
      this.#others.set(node, count + 1);
    }
    return count === 0;
  }

  /** Counts a node that was counted once less. @returns whether it is not counted any more */
  remove(node: string): boolean {
    if (this.#node === node && this.#count > 0) {
      this.#count -= 1;
      return this.#count === 0;
    }
    const count = this.#others?.get(node) ?? 0;
    if (count > 1) this.#others?.set(node, count - 1);
    else this.#others?.delete(node);
    if (this.#others?.size === 0) this.#others = undefined;
    return count === 1;
  }

  /** True when the node is counted. */
  has(node: string): boolean {
    return (this.#count > 0 && this.#node === node) || this.#others?.has(node) === true;
  }

  /** The nodes that are counted. */
  nodes(): string[] {
    return [...(this.#count > 0 ? [this.#node] : []), ...(this.#others?.keys() ?? [])];
  }
}
