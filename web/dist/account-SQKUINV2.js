import{a,b,c,d}from"./chunk-AK4FT3JM.js";import"./chunk-DCSWRCJ4.js";import"./chunk-46IXHASG.js";d();export{c as Security,a as default,b as identity};
