import{a,b,c}from"./chunk-36ASG5CT.js";import"./chunk-BKMNMJ4E.js";c();export{b as default,a as tabs};
