import{a,b,c}from"./chunk-ZBSEOKTR.js";import"./chunk-4SB6D7PQ.js";c();export{b as Push,a as renewPush};
