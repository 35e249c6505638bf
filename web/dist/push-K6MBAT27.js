import{a,b,c}from"./chunk-EUCRDOSI.js";import"./chunk-NWDS5W7U.js";c();export{b as Push,a as renewPush};
