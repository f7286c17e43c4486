// Words that can replace each other in bAbI's stories (`entity_substitution`): names, and verbs with one meaning.
{
  groups: [
    [
      'antoine', 'bernhard', 'bill', 'brian', 'daniel', 'emily', 'fred', 'gertrude', 'greg', 'jason', 'jeff', 'jessica',
      'john', 'julie', 'julius', 'lily', 'mary', 'sandra', 'sumit', 'winona', 'yann',
    ],
    ['bathroom', 'bedroom', 'cinema', 'garden', 'hallway', 'kitchen', 'office', 'park', 'school'],
    ['box', 'chest', 'container', 'suitcase'],
    ['frog', 'lion', 'rhino', 'swan'],
    ['blue', 'gray', 'green', 'pink', 'red', 'white', 'yellow'],
    ['rectangle', 'sphere', 'square', 'triangle'],
    ['journeyed', 'moved', 'travelled', 'went'],
    ['discarded', 'dropped', 'left'],
    ['got', 'grabbed', 'took'],
    ['gave', 'handed', 'passed'],
  ],
  class_groups: [
    ['apple', 'football', 'milk'],
    // Sheep is left out, since its singular is its plural.
    [['cat', 'cats'], ['mouse', 'mice'], ['wolf', 'wolves']],
  ],
}
