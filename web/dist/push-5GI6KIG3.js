import{a,b,c}from"./chunk-GLLVSCN7.js";import"./chunk-O2OVPS25.js";c();export{b as Push,a as renewPush};
