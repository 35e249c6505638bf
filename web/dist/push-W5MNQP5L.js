import{a,b,c}from"./chunk-U5BFS5H2.js";import"./chunk-BYYGTQDX.js";c();export{b as Push,a as renewPush};
