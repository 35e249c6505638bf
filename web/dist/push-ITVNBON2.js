import{a,b,c}from"./chunk-VVKHIPZB.js";import"./chunk-DKZEZLDA.js";c();export{b as Push,a as renewPush};
