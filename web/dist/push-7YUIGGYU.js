import{a,b,c}from"./chunk-RVWJQTGF.js";import"./chunk-U3GKYPL2.js";c();export{b as Push,a as renewPush};
