import{a,b,c}from"./chunk-IWRBTZLI.js";import"./chunk-46IXHASG.js";c();export{b as Push,a as renewPush};
